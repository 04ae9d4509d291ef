/// \file
/// Compares one row of a cross-entropy with the reference: its loss, log(sum(exp)) and gradients.
///
/// How far a result may be off. u is fp32's unit roundoff, 2^-24; p the probability of a column,
/// t = x - m. Each bound is the worst case of every rounding, so that no input exceeds it.
///
///  - An exponential is off by u (|t| + 6) in fp32, relative. Taken against a part's maximum and
///    rescaled to the row's, it has two differences, which add up to t and are rounded once each;
///    two values of expf, which CUDA promises to 1 ulp, 2 u; and their product. A fast exponential
///    has 3 |t| instead, since the product of t with log2 e is rounded, too: only results of two
///    bytes may have that, which round it away.
///  - d adds that up, weighted by p, but with two rescalings more, 8 u: from warp to block to
///    cluster. And D roundings of sums of positive terms: D is the columns of a thread, two vectors
///    of 16 bytes that it may have more than its share, and 16 levels of a tree.
///  - log(sum(exp)) = m + log d: what d is off, relative; 2 u |log d| for the logarithm, and one
///    rounding.
///  - The loss is log d - (x - m) of the label: what d is off, 2 u |log d|, u |t| and a few
///    roundings of the loss itself. Label smoothing adds the mean of the logits, whose sum rounds D
///    times; the z-loss twice what log(sum(exp)) is off, times that.
///  - A gradient is p times a factor, less the target: what p is off, which is what its exponential
///    and d are together, and four roundings of each of the two terms. It is rounded to the storage
///    type last. Exponentials below 2^-126 are as far apart as fp32's subnormal numbers are; those
///    of two-byte results may be 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/reference/cross_entropy_row.h"
#include "common/step/problem.h"
#include "common/verify/comparison.h"
#include "common/verify/gradient_bound.h"

namespace worklog {

/// The model of `step`'s gradients, stored as `output`, of rows of `cols` columns, which blocks of
/// `block_size` threads have to themselves.
GradientModel cross_entropy_model(const StepInfo& step, DType output, std::int64_t cols,
                                  int block_size);

/// What a step has made of one row.
template <typename T>
struct CrossEntropyResults {
  float loss;                    ///< of the row
  float log_sum_exp;             ///< of the row
  std::span<const T> gradients;  ///< of its logits
};

/// Compares rows; keeps the memory for one row of the reference. Not for use by several threads at
/// once. T is float, __half or __nv_bfloat16.
class CrossEntropyChecker {
 public:
  /// `model` is that of the gradients (cross_entropy_model()); `scale` what they are multiplied by,
  /// 1 over the number of rows that count for a mean.
  CrossEntropyChecker(const GradientModel& model, const CrossEntropyOptions& options, double scale);

  /// Compares the results of a row. Errors are in units of the last place: of a loss and of
  /// log(sum(exp)) at the value or at 1, of a gradient at the larger of its two terms.
  template <typename T>
  void check(std::int64_t row, std::span<const double> logits, std::int64_t label,
             const CrossEntropyResults<T>& got);

  /// Compares the sum or the mean of all losses with what the rows that were checked give, the
  /// losses as they were stored: `sum` and the sum of their magnitudes.
  void check_total(double sum, double magnitude, std::int64_t rows, float got);

  /// What all checks together have found so far.
  const Comparison& found() const { return found_; }

 private:
  struct Value;
  template <typename T>
  void check_value(const Value& value, T got);
  template <typename T>
  void check_ignored(std::int64_t row, const CrossEntropyResults<T>& got);

  GradientModel model_;
  CrossEntropyOptions options_;
  double scale_;
  std::vector<double> exponentials_;
  Comparison found_;
};

}  // namespace worklog
