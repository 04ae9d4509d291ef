/// \file
/// Compares one row of a result with the reference.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/step/step.h"
#include "common/verify/comparison.h"
#include "common/verify/error_bound.h"

namespace worklog {

/// Compares rows of `cols` columns; keeps the memory for one row of the reference. Not for use by
/// several threads at once.
class RowChecker {
 public:
  /// For rows of `cols` columns, held to the bounds of `model`.
  RowChecker(const ErrorModel& model, std::int64_t cols);

  /// Compares `probabilities` with the softmax of `logits`. T is float, __half or __nv_bfloat16.
  template <typename T>
  void check_softmax(std::int64_t row, std::span<const double> logits,
                     std::span<const T> probabilities);

  /// Compares `log_probabilities` with the logarithms of the softmax of `logits`. Errors are in
  /// units of the last place at 1, or at the value where it is larger.
  template <typename T>
  void check_log_softmax(std::int64_t row, std::span<const double> logits,
                         std::span<const T> log_probabilities);

  /// Compares `loss` with minus the logarithm of the probability of column `label`.
  void check_loss(std::int64_t row, std::span<const double> logits, std::int64_t label, float loss);

  /// Compares `values` and `indices` with the largest probabilities of the softmax of `logits`, and
  /// their columns.
  void check_softmax_top_k(std::int64_t row, std::span<const double> logits,
                           std::span<const float> values, std::span<const std::int64_t> indices);

  /// Compares `values` and `indices` with the largest of `given`, exactly.
  void check_top_k(std::int64_t row, std::span<const double> given, std::span<const float> values,
                   std::span<const std::int64_t> indices);

  /// What all checks together have found so far.
  const Comparison& found() const { return found_; }

 private:
  struct Element;
  void check_probability(const Element& element);
  void check_logarithm(const Element& element);
  bool check_indices(std::int64_t row, std::span<const double> ranked,
                     std::span<const std::int64_t> indices);

  ErrorModel model_;
  std::vector<double> exponentials_;
  std::vector<std::int64_t> columns_;
  Comparison found_;
};

}  // namespace worklog
