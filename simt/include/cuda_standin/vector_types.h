/// \file
/// char1 to double4, dim3, and make_*(). Members, sizes and alignments are CUDA's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simt/executor/executor.h"
#include "simt/executor/index3.h"
#include "simt/include/cuda_standin/qualifiers.h"

namespace simt {

/// A word of as many bytes that may alias anything. The wide ones are vectors for the compiler,
/// too: clang takes loads and stores of wide integers apart when their parts are used one by one.
template <std::size_t bytes>
struct WideWord {
  typedef std::uint16_t type __attribute__((vector_size(bytes), may_alias));
};
template <>
struct WideWord<2> {
  typedef std::uint16_t type __attribute__((may_alias));
};

/// Copies `bytes` bytes as a GPU's vector load or store does: as one access, or as several of 16
/// bytes. A compiler would copy a plain struct member by member, and the executor would count each.
template <std::size_t bytes>
SIMT_INLINE void copy_wide(void* to, const void* from) {
  constexpr std::size_t kWidth = bytes < 16 ? bytes : 16;
  using Word = typename WideWord<kWidth>::type;
  for (std::size_t i = 0; i < bytes / kWidth; ++i) {
    static_cast<Word*>(to)[i] = static_cast<const Word*>(from)[i];
  }
}

}  // namespace simt

// A constructor that leaves members for its body to set is constexpr since C++20 alone.
#if __cpp_constexpr >= 201907L
#define SIMT_CONSTEXPR_COPY constexpr
#else
#define SIMT_CONSTEXPR_COPY
#endif

/// The members that make a vector type's copy one access. In a constant expression, where no access
/// is counted, the elements are copied one by one.
#define SIMT_WIDE_COPY(Name, copy_elements)                  \
  Name() = default;                                          \
  SIMT_INLINE SIMT_CONSTEXPR_COPY Name(const Name& other) {  \
    if (__builtin_is_constant_evaluated()) {                 \
      copy_elements;                                         \
    } else {                                                 \
      ::simt::copy_wide<sizeof(Name)>(this, &other);         \
    }                                                        \
  }                                                          \
  SIMT_INLINE constexpr Name& operator=(const Name& other) { \
    if (__builtin_is_constant_evaluated()) {                 \
      copy_elements;                                         \
    } else {                                                 \
      ::simt::copy_wide<sizeof(Name)>(this, &other);         \
    }                                                        \
    return *this;                                            \
  }

#define SIMT_VECTOR2(Name, Element, alignment)                           \
  struct alignas(alignment) Name {                                       \
    Element x, y;                                                        \
    SIMT_INLINE constexpr Name(Element x_, Element y_) : x(x_), y(y_) {} \
    SIMT_WIDE_COPY(Name, (x = other.x, y = other.y))                     \
  };                                                                     \
  SIMT_INLINE constexpr Name make_##Name(Element x, Element y) {         \
    return {x, y};                                                       \
  }

#define SIMT_VECTOR4(Name, Element, alignment)                                         \
  struct alignas(alignment) Name {                                                     \
    Element x, y, z, w;                                                                \
    SIMT_INLINE constexpr Name(Element x_, Element y_, Element z_, Element w_)         \
        : x(x_), y(y_), z(z_), w(w_) {}                                                \
    SIMT_WIDE_COPY(Name, (x = other.x, y = other.y, z = other.z, w = other.w))         \
  };                                                                                   \
  SIMT_INLINE constexpr Name make_##Name(Element x, Element y, Element z, Element w) { \
    return {x, y, z, w};                                                               \
  }

/// One or three elements: never accessed as a whole, on a GPU either.
#define SIMT_VECTORS_1_3(Name, Element)                                           \
  struct Name##1 {                                                                \
    Element x;                                                                    \
  };                                                                              \
  struct Name##3 {                                                                \
    Element x, y, z;                                                              \
  };                                                                              \
  SIMT_INLINE constexpr Name##1 make_##Name##1(Element x) {                       \
    return {x};                                                                   \
  }                                                                               \
  SIMT_INLINE constexpr Name##3 make_##Name##3(Element x, Element y, Element z) { \
    return {x, y, z};                                                             \
  }

#define SIMT_VECTORS(Name, Element)                   \
  SIMT_VECTORS_1_3(Name, Element)                     \
  SIMT_VECTOR2(Name##2, Element, 2 * sizeof(Element)) \
  SIMT_VECTOR4(Name##4, Element, (sizeof(Element) < 4 ? 4 * sizeof(Element) : 16))

SIMT_VECTORS(char, signed char)
SIMT_VECTORS(uchar, unsigned char)
SIMT_VECTORS(short, short)
SIMT_VECTORS(ushort, unsigned short)
SIMT_VECTORS(int, int)
SIMT_VECTORS(long, long)
SIMT_VECTORS(ulong, unsigned long)
SIMT_VECTORS(longlong, long long)
SIMT_VECTORS(ulonglong, unsigned long long)
SIMT_VECTORS(float, float)
SIMT_VECTORS(double, double)

/// The type of threadIdx and its like, which are the executor's objects.
using uint3 = ::simt::Index3;
struct uint1 {
  unsigned x;
};
SIMT_INLINE constexpr uint1 make_uint1(unsigned x) {
  return {x};
}
SIMT_INLINE constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
  return {x, y, z};
}
SIMT_VECTOR2(uint2, unsigned, 8)
SIMT_VECTOR4(uint4, unsigned, 16)

#undef SIMT_VECTORS
#undef SIMT_VECTORS_1_3
#undef SIMT_VECTOR4
#undef SIMT_VECTOR2

/// A launch's shape in threads or blocks.
struct dim3 {
  unsigned x;
  unsigned y;
  unsigned z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 index) : x(index.x), y(index.y), z(index.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
