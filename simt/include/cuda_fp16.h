/// \file
/// float16 arithmetic: stands in for CUDA's cuda_fp16.h.
#pragma once

#include <cstdint>

#include "simt/include/cuda_runtime.h"
#include "simt/include/cuda_standin/atomics.h"
#include "simt/include/cuda_standin/narrow_float.h"
#include "simt/include/cuda_standin/narrow_float_functions.h"
#include "simt/include/cuda_standin/narrow_integers.h"

struct __nv_bfloat16;

/// The bits of a __half, to be read and written.
struct alignas(2) __half_raw {
  unsigned short x;
};

struct alignas(4) __half2_raw {
  unsigned short x;
  unsigned short y;
};

/// IEEE 754 binary16.
/// Converts from and to every arithmetic type; conversions to it round to nearest even, conversions
/// to integers truncate.
struct alignas(2) __half : simt::NarrowOperators<__half> {
  __half() = default;
  constexpr __half(const __half_raw& raw) : bits_(raw.x) {}
  SIMT_INLINE __half(float value) : bits_(simt::float16_bits(value)) {}
  SIMT_INLINE __half(double value) : __half(simt::to_roundable_float(value)) {}
  SIMT_INLINE __half(short value) : __half(simt::to_roundable_float(value)) {}
  SIMT_INLINE __half(unsigned short value) : __half(simt::to_roundable_float(value)) {}
  SIMT_INLINE __half(int value) : __half(simt::to_roundable_float(value)) {}
  SIMT_INLINE __half(unsigned value) : __half(simt::to_roundable_float(value)) {}
  SIMT_INLINE __half(long value) : __half(simt::to_roundable_float(value)) {}
  SIMT_INLINE __half(unsigned long value) : __half(simt::to_roundable_float(value)) {}
  SIMT_INLINE __half(long long value) : __half(simt::to_roundable_float(value)) {}
  SIMT_INLINE __half(unsigned long long value) : __half(simt::to_roundable_float(value)) {}
  explicit __half(__nv_bfloat16 value);  // defined in cuda_bf16.h

  constexpr operator __half_raw() const { return {bits_}; }
  SIMT_INLINE operator float() const { return simt::float16_value(bits_); }
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
    return simt::to_integer<Integer>(simt::float16_value(bits_), simt::Rounding::kTowardZero);
  }

  std::uint16_t bits_;
};

template <>
struct simt::NarrowFormat<__half> {
  static constexpr bool is_narrow_float = true;
  static constexpr __half from_bits(std::uint16_t bits) { return __half_raw{bits}; }
  static constexpr std::uint16_t to_bits(__half value) { return static_cast<__half_raw>(value).x; }
  SIMT_INLINE static std::uint16_t round(float value) { return float16_bits(value); }
  SIMT_INLINE static float value(std::uint16_t bits) { return float16_value(bits); }
};

/// Two of them in one register; loaded, stored and copied as one.
struct alignas(4) __half2 : simt::NarrowPairOperators<__half2> {
  __half x;
  __half y;
  SIMT_INLINE __half2(const __half& x_, const __half& y_) : x(x_), y(y_) {}
  constexpr __half2(const __half2_raw& raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  constexpr operator __half2_raw() const {
    return {static_cast<__half_raw>(x).x, static_cast<__half_raw>(y).x};
  }
  SIMT_WIDE_COPY(__half2, (x = other.x, y = other.y))
};

template <>
struct simt::PairElement<__half2> {
  using type = __half;
};

template <>
inline constexpr bool simt::is_shuffled<__half> = true;
template <>
inline constexpr bool simt::is_shuffled<__half2> = true;

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

// ---- conversions ------------------------------------------------------------------------------

SIMT_INLINE float __half2float(__half value) {
  return value;
}
SIMT_INLINE __half __float2half(float value) {
  return value;
}
SIMT_INLINE __half __float2half_rn(float value) {
  return value;
}
SIMT_INLINE __half __float2half_rz(float value) {
  return simt::from_float<__half>(value, simt::Rounding::kTowardZero);
}
SIMT_INLINE __half __float2half_rd(float value) {
  return simt::from_float<__half>(value, simt::Rounding::kDown);
}
SIMT_INLINE __half __float2half_ru(float value) {
  return simt::from_float<__half>(value, simt::Rounding::kUp);
}
SIMT_INLINE __half __double2half(double value) {
  return value;
}

// __int2half_rn, __half2int_rz and so on.
SIMT_INTEGERS(half, __half)

SIMT_INLINE unsigned short __half_as_ushort(__half value) {
  return simt::NarrowFormat<__half>::to_bits(value);
}
SIMT_INLINE short __half_as_short(__half value) {
  return static_cast<short>(__half_as_ushort(value));
}
SIMT_INLINE __half __ushort_as_half(unsigned short bits) {
  return __half_raw{bits};
}
SIMT_INLINE __half __short_as_half(short bits) {
  return __ushort_as_half(static_cast<unsigned short>(bits));
}

// ---- pairs ------------------------------------------------------------------------------------

SIMT_INLINE __half2 make_half2(__half x, __half y) {
  return {x, y};
}
SIMT_INLINE __half2 __halves2half2(__half low, __half high) {
  return {low, high};
}
SIMT_INLINE __half2 __half2half2(__half both) {
  return {both, both};
}
SIMT_INLINE __half2 __float2half2_rn(float both) {
  return {both, both};
}
SIMT_INLINE __half2 __floats2half2_rn(float low, float high) {
  return {low, high};
}
SIMT_INLINE __half2 __float22half2_rn(float2 pair) {
  return {pair.x, pair.y};
}
SIMT_INLINE float2 __half22float2(__half2 pair) {
  return {pair.x, pair.y};
}
SIMT_INLINE __half __low2half(__half2 pair) {
  return pair.x;
}
SIMT_INLINE __half __high2half(__half2 pair) {
  return pair.y;
}
SIMT_INLINE __half2 __low2half2(__half2 pair) {
  return {pair.x, pair.x};
}
SIMT_INLINE __half2 __high2half2(__half2 pair) {
  return {pair.y, pair.y};
}
SIMT_INLINE __half2 __lows2half2(__half2 a, __half2 b) {
  return {a.x, b.x};
}
SIMT_INLINE __half2 __highs2half2(__half2 a, __half2 b) {
  return {a.y, b.y};
}

// ---- atomic addition --------------------------------------------------------------------------

SIMT_INLINE __half atomicAdd(__half* address, __half operand,
                             simt::Location where = simt::Location::current()) {
  return simt::atomic_add_as<unsigned short>(address, operand, where);
}
SIMT_INLINE __half2 atomicAdd(__half2* address, __half2 operand,
                              simt::Location where = simt::Location::current()) {
  return simt::atomic_add_as<unsigned>(address, operand, where);
}

// ---- constants --------------------------------------------------------------------------------

#define CUDART_INF_FP16 __ushort_as_half(0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00u)
