// The inverse of the complementary error function, of which normal numbers are made.

#include <cmath>

#include "simt/include/curand_kernel.h"

namespace simt {
namespace {

/// Within 3e-3. (Abramowitz and Stegun, "Handbook of mathematical functions", 26.2.22, which has
/// the normal distribution)
double estimate(double y) {
  const double t = std::sqrt(-2.0 * std::log(y / 2.0));
  const double x = t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t));
  return x * 0.70710678118654752;
}

/// How far erfc(x) is above y, for the precision of a double also where both are nearly 1.
double excess(double x, double y) {
  return y < 0.5 ? std::erfc(x) - y : (1.0 - y) - std::erf(x);
}

}  // namespace

double inverse_erfc(double y) {
  if (y > 1.0) return -inverse_erfc(2.0 - y);
  constexpr double kTwoOverRootPi = 1.1283791670955126;
  double x = estimate(y);
  for (int i = 0; i < 2; ++i) {  // Halley's method: each step has three times the digits
    const double off = excess(x, y);
    x += off / (kTwoOverRootPi * std::exp(-x * x) - x * off);
  }
  return x;
}

}  // namespace simt
