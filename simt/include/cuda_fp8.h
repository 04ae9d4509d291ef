/// \file
/// 8-bit floating point, E4M3 and E5M2: stands in for CUDA's cuda_fp8.h. E8M0, scales that are
/// powers of two, is not here.
#pragma once

#include <cmath>

#include "simt/include/cuda_bf16.h"
#include "simt/include/cuda_fp16.h"
#include "simt/include/cuda_runtime.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;

/// What becomes of numbers that are too large.
enum __nv_saturation_t {
  __NV_NOSAT,      ///< infinity, or NaN where the format has none
  __NV_SATFINITE,  ///< the largest number
};
/// How bits are read.
enum __nv_fp8_interpretation_t {
  __NV_E4M3,  ///< 4 bits of exponent, 3 of mantissa, no infinity
  __NV_E5M2,  ///< 5 and 2: the upper half of a float16
};

namespace simt {

/// The layout of a format.
struct Fp8Format {
  int mantissa_bits;
  int exponent_bias;
  unsigned largest;   ///< the bits of the largest number
  unsigned overflow;  ///< what comes of larger ones that do not saturate
  unsigned nan;       ///< what comes of a double's
};
constexpr Fp8Format fp8_format(__nv_fp8_interpretation_t interpretation) {
  return interpretation == __NV_E4M3 ? Fp8Format{3, 7, 0x7e, 0x7f, 0x7f}
                                     : Fp8Format{2, 15, 0x7b, 0x7c, 0x7e};
}

/// Rounds to nearest even. A NaN keeps its sign.
SIMT_INLINE __nv_fp8_storage_t fp8_bits(double value, __nv_saturation_t saturate,
                                        __nv_fp8_interpretation_t interpretation) {
  const Fp8Format format = fp8_format(interpretation);
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  if (value != value) return static_cast<__nv_fp8_storage_t>(sign | format.nan);
  const double magnitude = std::fabs(value);
  const int smallest = 1 - format.exponent_bias;
  const unsigned beyond = saturate == __NV_SATFINITE ? format.largest : format.overflow;
  unsigned bits = beyond;
  if (magnitude < 0x1p20) {
    const int exponent = magnitude == 0 ? smallest : std::max(std::ilogb(magnitude), smallest);
    // In units of the last place. The leading bit, where there is one, adds one to the exponent.
    const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
    const auto biased = static_cast<unsigned>(exponent - smallest);
    bits = (biased << format.mantissa_bits) + static_cast<unsigned>(units);
    if (bits > format.largest) bits = beyond;
  }
  return static_cast<__nv_fp8_storage_t>(sign | bits);
}

/// Of a float, as the hardware does it: there is one NaN.
SIMT_INLINE __nv_fp8_storage_t fp8_bits(float value, __nv_saturation_t saturate,
                                        __nv_fp8_interpretation_t interpretation) {
  if (value != value) return 0x7f;
  return fp8_bits(static_cast<double>(value), saturate, interpretation);
}

SIMT_INLINE float fp8_value(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t interpretation) {
  const Fp8Format format = fp8_format(interpretation);
  const unsigned magnitude = bits & 0x7fu;
  const float sign = (bits & 0x80) != 0 ? -1.0f : 1.0f;
  if (interpretation == __NV_E5M2 && magnitude == format.overflow) {
    return sign * std::numeric_limits<float>::infinity();
  }
  if (magnitude > format.largest) return bit_cast<float>(0x7fffffffu);
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const unsigned fraction = magnitude & ((1u << format.mantissa_bits) - 1);
  const unsigned leading = exponent > 0 ? 1u << format.mantissa_bits : 0;
  return sign * std::ldexp(static_cast<float>(leading + fraction),
                           std::max(exponent, 1) - format.exponent_bias - format.mantissa_bits);
}

/// Both halves, the first in the lower one.
template <typename To, typename From>
SIMT_INLINE constexpr To joined(From low, From high) {
  return static_cast<To>(static_cast<To>(low) | static_cast<To>(high) << 8 * sizeof(From));
}

}  // namespace simt

// ---- conversions ------------------------------------------------------------------------------

SIMT_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t format) {
  return simt::fp8_bits(x, saturate, format);
}
SIMT_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t format) {
  return simt::fp8_bits(x, saturate, format);
}
SIMT_INLINE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t format) {
  return simt::fp8_bits(__half2float(x), saturate, format);
}
SIMT_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                           __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t format) {
  return simt::fp8_bits(__bfloat162float(x), saturate, format);
}
SIMT_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                               __nv_fp8_interpretation_t format) {
  return __float2half(simt::fp8_value(x, format));
}

SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 pair, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t format) {
  return simt::joined<__nv_fp8x2_storage_t>(simt::fp8_bits(pair.x, saturate, format),
                                            simt::fp8_bits(pair.y, saturate, format));
}
SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 pair, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t format) {
  return simt::joined<__nv_fp8x2_storage_t>(simt::fp8_bits(pair.x, saturate, format),
                                            simt::fp8_bits(pair.y, saturate, format));
}
SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw pair,
                                                            __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(pair), saturate, format);
}
SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw pair,
                                                                __nv_saturation_t saturate,
                                                                __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(pair), saturate, format);
}
SIMT_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t pair,
                                                   __nv_fp8_interpretation_t format) {
  const auto low = static_cast<__nv_fp8_storage_t>(pair);
  const auto high = static_cast<__nv_fp8_storage_t>(pair >> 8);
  return {__nv_cvt_fp8_to_halfraw(low, format).x, __nv_cvt_fp8_to_halfraw(high, format).x};
}

// ---- types ------------------------------------------------------------------------------------

namespace simt {

/// Converts from every arithmetic type, saturating, and to every one, integers truncated.
template <__nv_fp8_interpretation_t format>
struct alignas(1) Fp8 {
  __nv_fp8_storage_t __x;

  Fp8() = default;
  SIMT_INLINE explicit Fp8(double value) : __x(fp8_bits(value, __NV_SATFINITE, format)) {}
  SIMT_INLINE explicit Fp8(float value) : __x(fp8_bits(value, __NV_SATFINITE, format)) {}
  SIMT_INLINE explicit Fp8(__half value) : Fp8(__half2float(value)) {}
  SIMT_INLINE explicit Fp8(__nv_bfloat16 value) : Fp8(__bfloat162float(value)) {}
  template <typename Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  SIMT_INLINE explicit Fp8(Integer value) : Fp8(static_cast<float>(value)) {}

  SIMT_INLINE explicit operator float() const { return fp8_value(__x, format); }
  SIMT_INLINE explicit operator double() const { return fp8_value(__x, format); }
  SIMT_INLINE explicit operator __half() const { return fp8_value(__x, format); }
  SIMT_INLINE explicit operator __nv_bfloat16() const { return fp8_value(__x, format); }
  SIMT_INLINE explicit operator bool() const { return (__x & 0x7f) != 0; }
  template <typename Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  SIMT_INLINE explicit operator Integer() const {
    return to_integer<Integer>(fp8_value(__x, format), Rounding::kTowardZero);
  }
};

/// Two of them; converts from and to pairs of the other types.
template <__nv_fp8_interpretation_t format>
struct alignas(2) Fp8x2 {
  __nv_fp8x2_storage_t __x;

  Fp8x2() = default;
  SIMT_INLINE explicit Fp8x2(double2 pair)
      : __x(__nv_cvt_double2_to_fp8x2(pair, __NV_SATFINITE, format)) {}
  SIMT_INLINE explicit Fp8x2(float2 pair)
      : __x(__nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, format)) {}
  SIMT_INLINE explicit Fp8x2(__half2 pair) : Fp8x2(__half22float2(pair)) {}
  SIMT_INLINE explicit Fp8x2(__nv_bfloat162 pair) : Fp8x2(__bfloat1622float2(pair)) {}

  SIMT_INLINE explicit operator float2() const {
    return {fp8_value(static_cast<__nv_fp8_storage_t>(__x), format),
            fp8_value(static_cast<__nv_fp8_storage_t>(__x >> 8), format)};
  }
  SIMT_INLINE explicit operator __half2() const {
    return __float22half2_rn(static_cast<float2>(*this));
  }
};

/// Four of them.
template <__nv_fp8_interpretation_t format>
struct alignas(4) Fp8x4 {
  __nv_fp8x4_storage_t __x;

  Fp8x4() = default;
  SIMT_INLINE explicit Fp8x4(double4 four)
      : __x(joined<__nv_fp8x4_storage_t>(Fp8x2<format>(double2{four.x, four.y}).__x,
                                         Fp8x2<format>(double2{four.z, four.w}).__x)) {}
  SIMT_INLINE explicit Fp8x4(float4 four) : Fp8x4(float2{four.x, four.y}, float2{four.z, four.w}) {}
  SIMT_INLINE Fp8x4(__half2 low, __half2 high) : Fp8x4(__half22float2(low), __half22float2(high)) {}
  SIMT_INLINE Fp8x4(__nv_bfloat162 low, __nv_bfloat162 high)
      : Fp8x4(__bfloat1622float2(low), __bfloat1622float2(high)) {}

  SIMT_INLINE explicit operator float4() const {
    const auto part = [this](int shift) {
      return fp8_value(static_cast<__nv_fp8_storage_t>(__x >> shift), format);
    };
    return {part(0), part(8), part(16), part(24)};
  }

 private:
  SIMT_INLINE Fp8x4(float2 low, float2 high)
      : __x(joined<__nv_fp8x4_storage_t>(Fp8x2<format>(low).__x, Fp8x2<format>(high).__x)) {}
};

}  // namespace simt

using __nv_fp8_e4m3 = simt::Fp8<__NV_E4M3>;
using __nv_fp8_e5m2 = simt::Fp8<__NV_E5M2>;
using __nv_fp8x2_e4m3 = simt::Fp8x2<__NV_E4M3>;
using __nv_fp8x2_e5m2 = simt::Fp8x2<__NV_E5M2>;
using __nv_fp8x4_e4m3 = simt::Fp8x4<__NV_E4M3>;
using __nv_fp8x4_e5m2 = simt::Fp8x4<__NV_E5M2>;
