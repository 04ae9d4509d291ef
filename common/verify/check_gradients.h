/// \file
/// Compares one row of gradients with the reference.
#pragma once

#include <cstdint>
#include <span>

#include "common/verify/comparison.h"
#include "common/verify/gradient_bound.h"

namespace worklog {

/// Compares rows of gradients. Not for use by several threads at once. T is float, __half or
/// __nv_bfloat16.
class GradientChecker {
 public:
  /// Results are held to the bounds of `model`.
  explicit GradientChecker(const GradientModel& model) : model_(model) {}

  /// Compares `got` with y (dy - sum(y dy)). Errors are in units of the last place at y dy, at
  /// y sum(y dy) or at their difference, whichever is the largest.
  template <typename T>
  void check_softmax(std::int64_t row, std::span<const double> y, std::span<const double> dy,
                     std::span<const T> got);

  /// Compares `got` with dy - exp(y) sum(dy). Errors are in units of the last place at dy, at
  /// exp(y) sum(dy) or at their difference, whichever is the largest.
  template <typename T>
  void check_log_softmax(std::int64_t row, std::span<const double> y, std::span<const double> dy,
                         std::span<const T> got);

  /// What all checks together have found so far.
  const Comparison& found() const { return found_; }

 private:
  struct Gradient;
  template <typename T>
  void check(const Gradient& gradient, T got);

  GradientModel model_;
  Comparison found_;
};

}  // namespace worklog
