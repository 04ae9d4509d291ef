/// \file
/// The backward passes of softmax and log-softmax, in double precision on the host, a row at a
/// time.
#pragma once

#include <span>

namespace worklog {

/// What all gradients of a row need: of softmax the sum of y dy, of log-softmax that of dy.
struct GradientSum {
  double value = 0.0;       ///< the sum
  double magnitude = 0.0;   ///< the sum of the terms' magnitudes, to which rounding is relative
  bool is_nan = false;      ///< whether the whole row is NaN; the others say nothing then
  bool may_be_nan = false;  ///< whether it may be NaN: a part of the sum may be beyond fp32
};

/// Of `probabilities` and the `gradients` by them, as many. NaN if one of either is no finite
/// number, or the sum is beyond fp32.
GradientSum softmax_gradient_sum(std::span<const double> probabilities,
                                 std::span<const double> gradients);

/// Of the `gradients` by the logarithms alone. NaN likewise.
GradientSum log_softmax_gradient_sum(std::span<const double> gradients);

/// dx = y (dy - sum(y dy)), of one column.
inline double softmax_gradient(double probability, double gradient, const GradientSum& sum) {
  return probability * (gradient - sum.value);
}

/// dx = dy - exp(y) sum(dy), of one column.
double log_softmax_gradient(double log_probability, double gradient, const GradientSum& sum);

}  // namespace worklog
