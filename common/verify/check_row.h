/// \file
/// Compares one row of a result with the reference.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/step/step.h"
#include "common/verify/error_bound.h"

namespace worklog {

/// What comparing some rows found; see Verdict for the figures.
struct Comparison {
  std::int64_t checked = 0;         ///< elements
  std::int64_t wrong = 0;           ///< elements beyond their bounds
  double max_ulp = 0.0;             ///< the largest error, in units in the last place
  double max_excess = 0.0;          ///< the largest error beyond what rounding x - m may cost
  double max_share_of_bound = 0.0;  ///< the largest error as a share of its bound
  double max_sum_error = 0.0;       ///< the largest distance of a row's sum from 1
  std::int64_t failed_row = -1;     ///< the first wrong row, -1 if none
  std::string failure;              ///< its first wrong element

  /// Adds what another checker found; the first failure is that of the lowest row.
  void merge(const Comparison& other);
};

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
  void fail(std::int64_t row, std::string message);

  ErrorModel model_;
  std::vector<double> exponentials_;
  std::vector<std::int64_t> columns_;
  Comparison found_;
};

}  // namespace worklog
