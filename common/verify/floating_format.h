/// \file
/// The three storage types as sets of numbers: how far apart neighbours are.
#pragma once

#include <bit>
#include <cstdint>

#include "common/step/dtype.h"

namespace worklog {

/// A binary floating-point format. Values below 2^min_exponent are subnormal: evenly spaced.
struct FloatingFormat {
  int precision;     ///< bits of the significand, the hidden one included
  int min_exponent;  ///< the smallest normal number is 2^min_exponent

  /// Whether they are one format.
  constexpr bool operator==(const FloatingFormat&) const = default;
};

/// That of a storage type.
constexpr FloatingFormat format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {11, -14};
    case DType::kBFloat16:
      return {8, -126};
    case DType::kFloat32:
      break;
  }
  return {24, -126};
}

/// 2^exponent, and 0 below double's normal range.
constexpr double power_of_two(int exponent) {
  constexpr int kBias = 1023;
  if (exponent <= -kBias) return 0.0;
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kBias) << 52);
}

/// The exponent of a finite double's leading bit; -1023 for 0 and for double's subnormal numbers.
constexpr int exponent_of(double value) {
  return static_cast<int>((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1023;
}

/// Half the relative spacing of the format: the largest relative error of one rounding.
constexpr double unit_roundoff(FloatingFormat format) {
  return power_of_two(-format.precision);
}

/// The smallest number above 0.
constexpr double smallest_subnormal(FloatingFormat format) {
  return power_of_two(format.min_exponent - format.precision + 1);
}

/// The largest finite number.
constexpr double largest_finite(FloatingFormat format) {
  return (2.0 - power_of_two(1 - format.precision)) * power_of_two(1 - format.min_exponent);
}

/// What one unit in the last place would be at `value` if exponents had no lower limit.
constexpr double unbounded_ulp(double value, FloatingFormat format) {
  return power_of_two(exponent_of(value) - format.precision + 1);
}

/// One unit in the last place at `value`: the distance between the format's numbers there. Among
/// subnormal numbers it is the smallest of them.
constexpr double ulp(double value, FloatingFormat format) {
  const int exponent = exponent_of(value);
  return exponent < format.min_exponent ? smallest_subnormal(format)
                                        : power_of_two(exponent - format.precision + 1);
}

}  // namespace worklog
