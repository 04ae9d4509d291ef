/// \file
/// bfloat16 arithmetic: stands in for CUDA's cuda_bf16.h.
#pragma once

#include <cstdint>

#include "simt/include/cuda_fp16.h"
#include "simt/include/cuda_runtime.h"
#include "simt/include/cuda_standin/atomics.h"
#include "simt/include/cuda_standin/narrow_float.h"
#include "simt/include/cuda_standin/narrow_float_functions.h"
#include "simt/include/cuda_standin/narrow_integers.h"

/// The bits of a __nv_bfloat16, to be read and written.
struct alignas(2) __nv_bfloat16_raw {
  unsigned short x;
};

struct alignas(4) __nv_bfloat162_raw {
  unsigned short x;
  unsigned short y;
};

/// The upper 16 bits of an IEEE 754 binary32.
/// Converts from and to every arithmetic type; conversions to it round to nearest even, conversions
/// to integers truncate.
struct alignas(2) __nv_bfloat16 : simt::NarrowOperators<__nv_bfloat16> {
  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : bits_(raw.x) {}
  SIMT_INLINE __nv_bfloat16(float value) : bits_(simt::bfloat16_bits(value)) {}
  SIMT_INLINE __nv_bfloat16(double value) : __nv_bfloat16(simt::to_roundable_float(value)) {}
  SIMT_INLINE __nv_bfloat16(short value) : __nv_bfloat16(simt::to_roundable_float(value)) {}
  SIMT_INLINE __nv_bfloat16(unsigned short value)
      : __nv_bfloat16(simt::to_roundable_float(value)) {}
  SIMT_INLINE __nv_bfloat16(int value) : __nv_bfloat16(simt::to_roundable_float(value)) {}
  SIMT_INLINE __nv_bfloat16(unsigned value) : __nv_bfloat16(simt::to_roundable_float(value)) {}
  SIMT_INLINE __nv_bfloat16(long value) : __nv_bfloat16(simt::to_roundable_float(value)) {}
  SIMT_INLINE __nv_bfloat16(unsigned long value) : __nv_bfloat16(simt::to_roundable_float(value)) {}
  SIMT_INLINE __nv_bfloat16(long long value) : __nv_bfloat16(simt::to_roundable_float(value)) {}
  SIMT_INLINE __nv_bfloat16(unsigned long long value)
      : __nv_bfloat16(simt::to_roundable_float(value)) {}
  explicit __nv_bfloat16(__half value);

  constexpr operator __nv_bfloat16_raw() const { return {bits_}; }
  SIMT_INLINE operator float() const { return simt::bfloat16_value(bits_); }
  constexpr operator bool() const { return (bits_ & 0x7fff) != 0; }
  operator signed char() const { return truncated<signed char>(); }
  operator unsigned char() const { return truncated<unsigned char>(); }
  operator char() const { return truncated<char>(); }
  operator short() const { return truncated<short>(); }
  operator unsigned short() const { return truncated<unsigned short>(); }
  operator int() const { return truncated<int>(); }
  operator unsigned() const { return truncated<unsigned>(); }
  operator long() const { return truncated<long>(); }
  operator unsigned long() const { return truncated<unsigned long>(); }
  operator long long() const { return truncated<long long>(); }
  operator unsigned long long() const { return truncated<unsigned long long>(); }

 private:
  template <typename Integer>
  Integer truncated() const {
    return simt::to_integer<Integer>(simt::bfloat16_value(bits_), simt::Rounding::kTowardZero);
  }

  std::uint16_t bits_;
};

template <>
struct simt::NarrowFormat<__nv_bfloat16> {
  static constexpr bool is_narrow_float = true;
  static constexpr __nv_bfloat16 from_bits(std::uint16_t bits) { return __nv_bfloat16_raw{bits}; }
  static constexpr std::uint16_t to_bits(__nv_bfloat16 value) {
    return static_cast<__nv_bfloat16_raw>(value).x;
  }
  SIMT_INLINE static std::uint16_t round(float value) { return bfloat16_bits(value); }
  SIMT_INLINE static float value(std::uint16_t bits) { return bfloat16_value(bits); }
};

/// Two of them in one register; loaded, stored and copied as one.
struct alignas(4) __nv_bfloat162 : simt::NarrowPairOperators<__nv_bfloat162> {
  __nv_bfloat16 x;
  __nv_bfloat16 y;
  SIMT_INLINE __nv_bfloat162(const __nv_bfloat16& x_, const __nv_bfloat16& y_) : x(x_), y(y_) {}
  constexpr __nv_bfloat162(const __nv_bfloat162_raw& raw)
      : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  constexpr operator __nv_bfloat162_raw() const {
    return {static_cast<__nv_bfloat16_raw>(x).x, static_cast<__nv_bfloat16_raw>(y).x};
  }
  SIMT_WIDE_COPY(__nv_bfloat162, (x = other.x, y = other.y))
};

template <>
struct simt::PairElement<__nv_bfloat162> {
  using type = __nv_bfloat16;
};

template <>
inline constexpr bool simt::is_shuffled<__nv_bfloat16> = true;
template <>
inline constexpr bool simt::is_shuffled<__nv_bfloat162> = true;

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

// ---- conversions ------------------------------------------------------------------------------

SIMT_INLINE float __bfloat162float(__nv_bfloat16 value) {
  return value;
}
SIMT_INLINE __nv_bfloat16 __float2bfloat16(float value) {
  return value;
}
SIMT_INLINE __nv_bfloat16 __float2bfloat16_rn(float value) {
  return value;
}
SIMT_INLINE __nv_bfloat16 __float2bfloat16_rz(float value) {
  return simt::from_float<__nv_bfloat16>(value, simt::Rounding::kTowardZero);
}
SIMT_INLINE __nv_bfloat16 __float2bfloat16_rd(float value) {
  return simt::from_float<__nv_bfloat16>(value, simt::Rounding::kDown);
}
SIMT_INLINE __nv_bfloat16 __float2bfloat16_ru(float value) {
  return simt::from_float<__nv_bfloat16>(value, simt::Rounding::kUp);
}
SIMT_INLINE __nv_bfloat16 __double2bfloat16(double value) {
  return value;
}

// __int2bfloat16_rn, __bfloat162int_rz and so on.
SIMT_INTEGERS(bfloat16, __nv_bfloat16)

SIMT_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) {
  return simt::NarrowFormat<__nv_bfloat16>::to_bits(value);
}
SIMT_INLINE short __bfloat16_as_short(__nv_bfloat16 value) {
  return static_cast<short>(__bfloat16_as_ushort(value));
}
SIMT_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16_raw{bits};
}
SIMT_INLINE __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}

// ---- pairs ------------------------------------------------------------------------------------

SIMT_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
SIMT_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return {low, high};
}
SIMT_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 both) {
  return {both, both};
}
SIMT_INLINE __nv_bfloat162 __float2bfloat162_rn(float both) {
  return {both, both};
}
SIMT_INLINE __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return {low, high};
}
SIMT_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 pair) {
  return {pair.x, pair.y};
}
SIMT_INLINE float2 __bfloat1622float2(__nv_bfloat162 pair) {
  return {pair.x, pair.y};
}
SIMT_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 pair) {
  return pair.x;
}
SIMT_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 pair) {
  return pair.y;
}
SIMT_INLINE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 pair) {
  return {pair.x, pair.x};
}
SIMT_INLINE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 pair) {
  return {pair.y, pair.y};
}
SIMT_INLINE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x, b.x};
}
SIMT_INLINE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.y, b.y};
}

// ---- atomic addition --------------------------------------------------------------------------

SIMT_INLINE __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 operand,
                                    simt::Location where = simt::Location::current()) {
  return simt::atomic_add_as<unsigned short>(address, operand, where);
}
SIMT_INLINE __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 operand,
                                     simt::Location where = simt::Location::current()) {
  return simt::atomic_add_as<unsigned>(address, operand, where);
}

// ---- constants --------------------------------------------------------------------------------

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80u)

// ---- between the two formats ------------------------------------------------------------------

inline __half::__half(__nv_bfloat16 value) : __half(static_cast<float>(value)) {}
inline __nv_bfloat16::__nv_bfloat16(__half value) : __nv_bfloat16(static_cast<float>(value)) {}
