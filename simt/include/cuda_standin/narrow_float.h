/// \file
/// 16-bit floating-point formats: conversions by bits, each rounded once.
///
/// The hardware's own conversion is used where the compiler says that it has one; the portable code
/// beside it gives the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "simt/include/cuda_standin/bits.h"
#include "simt/include/cuda_standin/qualifiers.h"

namespace simt {

enum class Rounding { kNearestEven, kTowardZero, kDown, kUp };

inline constexpr std::uint16_t kCanonicalNarrowNaN = 0x7fff;

// ---- float16: 1 sign bit, 5 exponent bits, 10 mantissa bits -----------------------------------

// Without branches: in device code each branch is a call of the executor.

/// The addition of a power of two rounds: one whose unit in the last place is the result's.
SIMT_INLINE std::uint16_t portable_float16_bits(float value) {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  constexpr std::uint32_t kSmallestNormal = 0x38800000;  // 2^-14
  constexpr std::uint32_t kOverflow = 0x47800000;        // 2^16, float16's infinity
  constexpr std::uint32_t kMantissaDifference = 23 - 10;
  const std::uint32_t bits = bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = std::min(bits & 0x7fffffffu, kOverflow);
  const std::uint32_t exponent = std::max(magnitude & kInfinity, kSmallestNormal);
  const std::uint32_t power = exponent + (kMantissaDifference << 23);
  const float sum = bit_cast<float>(magnitude) + bit_cast<float>(power);
  const std::uint32_t significand = bit_cast<std::uint32_t>(sum) - power;
  // The significand's leading bit, where there is one, adds one to the exponent field.
  const std::uint32_t result = ((exponent - kSmallestNormal) >> kMantissaDifference) + significand;
  const bool nan = (bits & 0x7fffffffu) > kInfinity;
  return static_cast<std::uint16_t>(nan ? kCanonicalNarrowNaN : (bits >> 16 & 0x8000u) | result);
}

/// A float16's bits, moved to a float's place, are its value times 2^-112, subnormal or not.
SIMT_INLINE float portable_float16_value(std::uint16_t bits) {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  const std::uint32_t magnitude = bits & 0x7fffu;
  const float scaled = bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t infinite = magnitude >= 0x7c00u ? kInfinity : 0u;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  return bit_cast<float>(bit_cast<std::uint32_t>(scaled) | infinite | sign);
}

/// Rounds to nearest, ties to even. A NaN becomes the canonical one.
SIMT_INLINE std::uint16_t float16_bits(float value) {
#if defined(__F16C__)
  using Floats = float __attribute__((vector_size(16)));
  if (value != value) return kCanonicalNarrowNaN;
  return static_cast<std::uint16_t>(__builtin_ia32_vcvtps2ph(Floats{value, 0, 0, 0}, 0)[0]);
#elif defined(__ARM_FP16_FORMAT_IEEE)
  if (value != value) return kCanonicalNarrowNaN;
  return bit_cast<std::uint16_t>(static_cast<__fp16>(value));
#else
  return portable_float16_bits(value);
#endif
}

SIMT_INLINE float float16_value(std::uint16_t bits) {
#if defined(__F16C__)
  using Shorts = short __attribute__((vector_size(16)));
  return __builtin_ia32_vcvtph2ps(Shorts{static_cast<short>(bits), 0, 0, 0, 0, 0, 0, 0})[0];
#elif defined(__ARM_FP16_FORMAT_IEEE)
  return static_cast<float>(bit_cast<__fp16>(bits));
#else
  return portable_float16_value(bits);
#endif
}

// ---- bfloat16: the upper half of a float ------------------------------------------------------

/// Rounds to nearest, ties to even. A NaN becomes the canonical one.
SIMT_INLINE std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(nan ? kCanonicalNarrowNaN : rounded);
}

SIMT_INLINE float bfloat16_value(std::uint16_t bits) {
  return bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// ---- from wider types: to a float that rounds to the same 16 bits -----------------------------

/// `value` rounded to odd: truncated, with the last bit set if that lost anything. Rounding the
/// result once more, to a format at least two bits narrower, is as rounding `value` itself. (Boldo
/// and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
/// odd", 2008)
inline float round_to_odd(double value) {
  float result = static_cast<float>(value);
  const double back = static_cast<double>(result);
  if (value != value || back == value) return result;
  std::uint32_t bits = bit_cast<std::uint32_t>(result);
  if (std::fabs(back) > std::fabs(value)) --bits;
  return bit_cast<float>(bits | 1);
}

/// 64-bit integers of more than 53 bits lose what a double cannot hold, but for one bit that says
/// so.
template <typename Integer>
double round_to_odd_double(Integer value) {
  static_assert(std::is_integral_v<Integer>);
  using Unsigned = std::uint64_t;
  const bool negative = value < 0;
  Unsigned magnitude = static_cast<Unsigned>(value);
  if (negative) magnitude = ~magnitude + 1;
  constexpr Unsigned kLost = (Unsigned{1} << 11) - 1;
  if (magnitude >> 53 != 0 && (magnitude & kLost) != 0) {
    magnitude = (magnitude & ~kLost) | (kLost + 1);
  }
  const double result = static_cast<double>(magnitude);
  return negative ? -result : result;
}

/// The float that has the same 16-bit rounding, in every direction, as `value` of whatever
/// arithmetic type.
template <typename T>
SIMT_INLINE float to_roundable_float(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else if constexpr (std::is_floating_point_v<T>) {
    return round_to_odd(value);
  } else {
    return round_to_odd(round_to_odd_double(value));
  }
}

// ---- the types that cuda_fp16.h and cuda_bf16.h define ----------------------------------------

/// Specialised for __half and __nv_bfloat16: from_bits(), to_bits(), round() to nearest even,
/// value().
template <typename T>
struct NarrowFormat;

template <typename T, typename = void>
inline constexpr bool is_narrow_float = false;
template <typename T>
inline constexpr bool is_narrow_float<T, std::void_t<decltype(NarrowFormat<T>::is_narrow_float)>> =
    true;
template <typename T>
using IfNarrowFloat = std::enable_if_t<is_narrow_float<T>, int>;

template <typename T, IfNarrowFloat<T> = 0>
SIMT_INLINE float to_float(T value) {
  return NarrowFormat<T>::value(NarrowFormat<T>::to_bits(value));
}

template <typename T, IfNarrowFloat<T> = 0>
SIMT_INLINE T from_float(float value) {
  return NarrowFormat<T>::from_bits(NarrowFormat<T>::round(value));
}

/// Rounds in the given direction.
template <typename T, IfNarrowFloat<T> = 0>
T from_float(float value, Rounding rounding) {
  std::uint16_t bits = NarrowFormat<T>::round(value);
  if (rounding == Rounding::kNearestEven || value != value) return NarrowFormat<T>::from_bits(bits);
  const float nearest = NarrowFormat<T>::value(bits);
  const bool too_high = nearest > value;
  const bool too_low = nearest < value;
  const bool step_down = too_high && (rounding == Rounding::kDown ||
                                      (rounding == Rounding::kTowardZero && value > 0.0f));
  const bool step_up =
      too_low && (rounding == Rounding::kUp || (rounding == Rounding::kTowardZero && value < 0.0f));
  const bool negative = (bits & 0x8000) != 0;
  if (step_down) bits = static_cast<std::uint16_t>(negative ? bits + 1 : bits - 1);
  if (step_up) bits = static_cast<std::uint16_t>(negative ? bits - 1 : bits + 1);
  return NarrowFormat<T>::from_bits(bits);
}

inline float round_to_integer(float value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestEven:
      return std::nearbyint(value);
    case Rounding::kTowardZero:
      return std::trunc(value);
    case Rounding::kDown:
      return std::floor(value);
    case Rounding::kUp:
      return std::ceil(value);
  }
  return value;
}

/// As the hardware converts: out-of-range values saturate; a NaN gives 0, or 2^63 where the result
/// has 64 bits.
template <typename Integer>
Integer to_integer(float value, Rounding rounding) {
  using Limits = std::numeric_limits<Integer>;
  if (value != value) {
    return sizeof(Integer) == 8 ? static_cast<Integer>(std::uint64_t{1} << 63) : Integer{0};
  }
  const float rounded = round_to_integer(value, rounding);
  if (rounded <= static_cast<float>(Limits::min())) return Limits::min();
  if (rounded >= static_cast<float>(Limits::max())) return Limits::max();
  return static_cast<Integer>(rounded);
}

}  // namespace simt
