/// \file
/// nvcuda::wmma, products of matrices that a warp does together: stands in for CUDA's mma.h. Which
/// element a lane has, and which loads it takes, is what nvcc makes of it for compute capability
/// 9.0; CUDA promises neither. docs/tensor_cores.md describes both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simt/include/cuda_bf16.h"
#include "simt/include/cuda_fp16.h"
#include "simt/include/cuda_runtime.h"
#include "simt/include/cuda_standin/bits.h"
#include "simt/include/cuda_standin/ptx.h"
#include "simt/include/cuda_standin/tensor_cores.h"
#include "simt/include/cuda_standin/vector_types.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;

enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

/// Declared for a message that names them: there are no fragments of these.
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
}  // namespace experimental

}  // namespace wmma
}  // namespace nvcuda

namespace simt {
namespace wmma = ::nvcuda::wmma;

/// What a fragment's T means. (This is for types of which there are none, so that the message says
/// no more than that.)
template <typename T>
struct FragmentElement {
  using Storage = int;
  static constexpr MatrixElement value = MatrixElement::kInt;
};
#define SIMT_FRAGMENT_ELEMENT(Type, StorageType, kind)          \
  template <>                                                   \
  struct FragmentElement<Type> {                                \
    using Storage = StorageType;                                \
    static constexpr MatrixElement value = MatrixElement::kind; \
  };
SIMT_FRAGMENT_ELEMENT(__half, __half, kHalf)
SIMT_FRAGMENT_ELEMENT(__nv_bfloat16, __nv_bfloat16, kBFloat16)
SIMT_FRAGMENT_ELEMENT(wmma::precision::tf32, float, kTf32)
SIMT_FRAGMENT_ELEMENT(float, float, kFloat)
SIMT_FRAGMENT_ELEMENT(double, double, kDouble)
SIMT_FRAGMENT_ELEMENT(signed char, signed char, kSigned8)
SIMT_FRAGMENT_ELEMENT(unsigned char, unsigned char, kUnsigned8)
SIMT_FRAGMENT_ELEMENT(int, int, kInt)
#undef SIMT_FRAGMENT_ELEMENT

/// The shapes that CUDA has for an element.
template <typename T, bool kIsSum>
constexpr bool has_fragments(int m, int n, int k) {
  const bool is_16x16 = m == 16 && n == 16;
  const bool is_with_16 = k == 16 && (is_16x16 || (m == 32 && n == 8) || (m == 8 && n == 32));
  if constexpr (std::is_same_v<T, double>) return m == 8 && n == 8 && k == 4;
  if constexpr (std::is_same_v<T, wmma::precision::tf32>) return !kIsSum && is_16x16 && k == 8;
  if constexpr (std::is_same_v<T, float>) return kIsSum && (is_with_16 || (is_16x16 && k == 8));
  if constexpr (std::is_same_v<T, int>) return kIsSum && is_with_16;
  if constexpr (std::is_same_v<T, __half>) return is_with_16;
  if constexpr (std::is_same_v<T, __nv_bfloat16> || std::is_same_v<T, signed char> ||
                std::is_same_v<T, unsigned char>) {
    return !kIsSum && is_with_16;
  }
  return false;
}

/// How the lanes hold a fragment. A product of 8 rows and 32 columns is done as one of 32 rows and
/// 8 columns, with its factors exchanged.
template <typename Use, int m, int n, int k, typename T>
struct FragmentShape {
  static constexpr bool kIsSum = std::is_same_v<Use, wmma::accumulator>;
  static constexpr bool kIsA = std::is_same_v<Use, wmma::matrix_a>;
  static_assert(has_fragments<T, kIsSum>(m, n, k),
                "the CPU executor has no wmma::fragment of this shape and type: sub-byte types "
                "(wmma::experimental) are not computed, and others do not exist");
  static constexpr bool kExchanged = m < n;
  static constexpr MatrixElement kElement = FragmentElement<T>::value;
  static constexpr MatrixLayout kLayout =
      kIsSum ? layout_of_sum(kExchanged ? n : m, kExchanged ? m : n)
             : layout_of_factor(kElement, kIsA ? m : n, k, kIsA != kExchanged);
  /// Factors of __half hold everything twice, or four times, where they are small.
  static constexpr unsigned kElements =
      !kIsSum && kElement == MatrixElement::kHalf ? 16 : kLayout.elements();
  static constexpr unsigned kBytes = bytes_of(kElement);
};

}  // namespace simt

namespace nvcuda {
namespace wmma {

/// One lane's elements of a matrix.
template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class alignas(8) fragment {
  static_assert(std::is_same_v<Use, accumulator> == std::is_void_v<Layout>,
                "a factor has a layout, and an accumulator none");

 public:
  enum { num_elements = simt::FragmentShape<Use, m, n, k, T>::kElements };
  enum { num_storage_elements = num_elements };
  using element_type = T;
  using storage_element_type = typename simt::FragmentElement<T>::Storage;
  storage_element_type x[num_storage_elements];
};

/// Rounds to the 10 bits of a mantissa that a tf32 has; ties go away from 0.
SIMT_INLINE float __float_to_tf32(float value) {
  float rounded;
  simt::ptx::cvt_rna_tf32_f32(rounded, value);
  return rounded;
}

}  // namespace wmma
}  // namespace nvcuda

namespace simt {

/// The accesses by which the lanes of a warp load or store a fragment, once the layout in memory is
/// known. `kAlong`: what lies side by side in memory is a line of the fragment.
template <typename Shape, bool kAlong, typename Element>
struct FragmentAccess {
  static constexpr MatrixLayout kLayout = Shape::kLayout;
  static constexpr unsigned kTiles = kLayout.tiles();
  static constexpr unsigned kPerLane = kLayout.per_lane;
  /// Tiles of 16-bit elements are loaded as they lie, and turned between the lanes.
  static constexpr bool kTurned = !kAlong && sizeof(Element) == 2;
  /// Tiles that one LDSM instruction loads from shared memory; 0 where nvcc emits none.
  static constexpr unsigned kTilesOfRows =
      Shape::kIsSum                             ? 0
      : Shape::kElement == MatrixElement::kHalf ? (kTiles < 4 ? kTiles : 4)
      : kAlong && sizeof(Element) == 1          ? (kTiles < 2 ? kTiles : 2)
                                                : 0;

  /// How far an element is from the first one.
  SIMT_INLINE static std::size_t offset(unsigned line, unsigned position, std::size_t stride) {
    return kAlong ? line * stride + position : position * stride + line;
  }
  /// Where a lane's part of a tile begins that is accessed as it lies.
  SIMT_INLINE static std::size_t offset_of_tile(unsigned tile, unsigned lane, std::size_t stride) {
    const MatrixLayout::Place begin = kLayout.tile(tile);
    const unsigned across = lane / 4;
    const unsigned along = lane % 4 * kPerLane;
    return kAlong ? offset(begin.line + across, begin.position + along, stride)
                  : offset(begin.line + along, begin.position + across, stride);
  }

  /// From the element that `from` points to. `x` is as long as all tiles need.
  SIMT_INLINE static void load(Element* x, const Element* from, std::size_t stride,
                               Location where) {
    constexpr const char* kName = "wmma::load_matrix_sync";
    const unsigned lane = ptx::laneid();
    if constexpr (kTilesOfRows > 0) {
      if (is_shared_memory(from)) return load_rows(x, from, stride, lane, where);
    }
    if constexpr (kAlong || kTurned) {
      for (unsigned tile = 0; tile < kTiles; ++tile)
        copy_wide<kPerLane * sizeof(Element)>(x + tile * kPerLane,
                                              from + offset_of_tile(tile, lane, stride));
    } else {
      for (unsigned i = 0; i < kTiles * kPerLane; ++i) {
        const MatrixLayout::Place place = kLayout.place(lane, i);
        x[i] = from[offset(place.line, place.position, stride)];
      }
    }
    meet(x, kName, where);
  }

  /// To the element that `to` points to. Turns what is in x.
  SIMT_INLINE static void store(Element* x, Element* to, std::size_t stride, Location where) {
    const unsigned lane = ptx::laneid();
    meet(x, "wmma::store_matrix_sync", where);
    if constexpr (kAlong || kTurned) {
      for (unsigned tile = 0; tile < kTiles; ++tile)
        copy_wide<kPerLane * sizeof(Element)>(to + offset_of_tile(tile, lane, stride),
                                              x + tile * kPerLane);
    } else {
      for (unsigned i = 0; i < kTiles * kPerLane; ++i) {
        const MatrixLayout::Place place = kLayout.place(lane, i);
        to[offset(place.line, place.position, stride)] = x[i];
      }
    }
  }

 private:
  /// With the other lanes, and turns what has to be turned.
  SIMT_INLINE static void meet(Element* x, const char* name, Location where) {
    if constexpr (kTurned) {
      TurnedTiles task = {{turn_tiles, name}, reinterpret_cast<std::uint32_t*>(x), kTiles};
      perform_together(task, where);
    } else {
      WarpTask task = {only_meet, name};
      perform_together(task, where);
    }
  }

  SIMT_INLINE static void load_rows(Element* x, const Element* from, std::size_t stride,
                                    unsigned lane, Location where) {
    constexpr unsigned kGroups = kTiles / kTilesOfRows;
    alignas(16) std::uint32_t rows[kGroups * 4];
    for (unsigned group = 0; group < kGroups; ++group) {
      const MatrixLayout::Place begin =
          kLayout.tile(group * kTilesOfRows + lane / 8 % kTilesOfRows);
      const std::size_t at = kAlong ? offset(begin.line + lane % 8, begin.position, stride)
                                    : offset(begin.line, begin.position + lane % 8, stride);
      ptx::load_row<kTilesOfRows>(rows + group * 4, from + at, lane);
    }
    SpreadRows task = {{spread_rows, "wmma::load_matrix_sync"},
                       rows,
                       reinterpret_cast<std::uint32_t*>(x),
                       kTiles,
                       kTilesOfRows,
                       !kAlong};
    perform_together(task, where);
  }
};

/// Of a factor that holds its elements several times.
template <typename Shape, typename Element>
SIMT_INLINE void repeat_elements(Element* x) {
  for (unsigned i = Shape::kLayout.elements(); i < Shape::kElements; ++i)
    x[i] = x[i - Shape::kLayout.elements()];
}

}  // namespace simt

namespace nvcuda {
namespace wmma {

template <typename Use, int m, int n, int k, typename T, typename Layout>
SIMT_INLINE void fill_fragment(
    fragment<Use, m, n, k, T, Layout>& to,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type& value) {
  for (auto& element : to.x)
    element = value;
}

template <typename Use, int m, int n, int k, typename T, typename Layout>
SIMT_INLINE void load_matrix_sync(
    fragment<Use, m, n, k, T, Layout>& to,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type* from, unsigned stride,
    simt::Location where = simt::Location::current()) {
  static_assert(!std::is_same_v<Use, accumulator>, "an accumulator is loaded with a layout");
  using Shape = simt::FragmentShape<Use, m, n, k, T>;
  using Element = typename fragment<Use, m, n, k, T, Layout>::storage_element_type;
  constexpr bool kAlong = Shape::kIsA == std::is_same_v<Layout, row_major>;
  simt::FragmentAccess<Shape, kAlong, Element>::load(to.x, from, stride, where);
  simt::repeat_elements<Shape>(to.x);
}

template <int m, int n, int k, typename T>
SIMT_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T>& to, const T* from,
                                  unsigned stride, layout_t layout,
                                  simt::Location where = simt::Location::current()) {
  using Shape = simt::FragmentShape<accumulator, m, n, k, T>;
  if ((layout == mem_row_major) != Shape::kExchanged) {
    simt::FragmentAccess<Shape, true, T>::load(to.x, from, stride, where);
  } else {
    simt::FragmentAccess<Shape, false, T>::load(to.x, from, stride, where);
  }
}

template <int m, int n, int k, typename T>
SIMT_INLINE void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& from,
                                   unsigned stride, layout_t layout,
                                   simt::Location where = simt::Location::current()) {
  using Shape = simt::FragmentShape<accumulator, m, n, k, T>;
  fragment<accumulator, m, n, k, T> turned = from;
  if ((layout == mem_row_major) != Shape::kExchanged) {
    simt::FragmentAccess<Shape, true, T>::store(turned.x, to, stride, where);
  } else {
    simt::FragmentAccess<Shape, false, T>::store(turned.x, to, stride, where);
  }
}

/// d = a * b + c. `saturates`: a sum of integers that is too large becomes the largest int.
template <int m, int n, int k, typename D, typename T, typename LayoutA, typename LayoutB,
          typename C>
SIMT_INLINE void mma_sync(fragment<accumulator, m, n, k, D>& d,
                          const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                          const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                          const fragment<accumulator, m, n, k, C>& c, bool saturates = false,
                          simt::Location where = simt::Location::current()) {
  constexpr bool kExchanged = simt::FragmentShape<accumulator, m, n, k, D>::kExchanged;
  constexpr unsigned kRows = kExchanged ? n : m;
  constexpr unsigned kColumns = kExchanged ? m : n;
  static_assert(
      simt::is_sum_of(simt::FragmentElement<T>::value, simt::FragmentElement<C>::value) &&
          simt::is_sum_of(simt::FragmentElement<T>::value, simt::FragmentElement<D>::value),
      "tensor cores do not add products of this type to sums of that one");
  // nvcc halves the depth of a tf32 product.
  constexpr unsigned kInstructions =
      simt::tensor_instructions_of(kRows, kColumns) * (std::is_same_v<T, precision::tf32> ? 2 : 1);
  simt::MatrixProduct product = {{simt::multiply_matrices, "wmma::mma_sync", kInstructions},
                                 kRows,
                                 kColumns,
                                 k,
                                 simt::FragmentElement<T>::value,
                                 simt::FragmentElement<T>::value,
                                 simt::FragmentElement<C>::value,
                                 simt::FragmentElement<D>::value,
                                 saturates,
                                 kExchanged ? static_cast<const void*>(b.x) : a.x,
                                 kExchanged ? static_cast<const void*>(a.x) : b.x,
                                 c.x,
                                 d.x};
  simt::perform_together(product, where);
}

}  // namespace wmma
}  // namespace nvcuda
