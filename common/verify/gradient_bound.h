/// \file
/// How far a computed gradient may be from the exact one.
///
/// Notation: u is the unit roundoff of fp32, 2^-24, in which all arithmetic is, ulp one unit in the
/// last place of the storage type at the gradient. y and dy are what the step was given: they are
/// exact, whatever rounded them before.
///
/// **The sum.** s = sum(y dy). Each product is rounded once, and each addition on its way to s
/// rounds what it has come to, at most the sum S of all magnitudes |y dy|. A thread adds its share
/// of the columns, and a tree the threads' sums: D = columns / threads + 48 additions at most. A
/// thread may have up to 32 columns more than its share, as where a row has a few lanes of a warp
/// alone, and 16 levels of a tree combine more threads than share a row. So s is off by
/// (D + 1) u S at most. That is no estimate of what is usual, but the worst case: errors of both
/// signs leave about its square root. A serial sum has D = columns.
///
/// A step with exact_sum (StepInfo) keeps in a second float what rounding drops of products and
/// sums, in fp32. Only the second floats' own additions round, and their terms are u S at most
/// together: s is off by (D u)^2 S. (Ogita, Rump and Oishi, "Accurate sum and dot product", 2005,
/// section 5) Products of two-byte numbers have no error in fp32.
///
/// **Softmax.** dx = y (dy - s): the difference is rounded once, or twice where s is two floats,
/// and the product once. So dx is off by |y| (error of s) and by 2 u |dx|, and is rounded to the
/// storage type, half an ulp. Where dy and s are nearly equal, dx has few digits that are right,
/// which no sum in fp32 can help: so errors are told in units of the last place at y dy, at y s or
/// at dx, whichever is the largest.
///
/// **Log-softmax.** dx = dy - exp(y) g with g = sum(dy), which is off as s is, but has no products.
/// The exponential is right to an ulp, 2 u; its product with g and the difference are rounded once
/// each, or the difference twice where g is two floats. Errors are told in units of the last place
/// at dy, at exp(y) g or at dx, whichever is the largest.
///
/// Terms that are subnormal are evenly spaced, which adds their spacing for each.
#pragma once

#include <cstdint>

#include "common/reference/softmax_gradient.h"
#include "common/step/step.h"
#include "common/verify/floating_format.h"

namespace worklog {

/// What the bound needs to know of a step and its output.
struct GradientModel {
  FloatingFormat storage;  ///< of the gradients
  double additions = 0.0;  ///< D, on a term's way to the sum
  double terms = 0.0;      ///< columns
  bool exact_sum = false;  ///< the sum is in two floats
};

/// The model of `step`'s gradients, stored as `output`, of rows of `cols` columns, which blocks of
/// `block_size` threads share.
GradientModel gradient_model(const StepInfo& step, DType output, std::int64_t cols, int block_size);

/// The bounds of one row's gradients.
class GradientBound {
 public:
  /// `sum` is exact; one that is NaN has no bounds.
  GradientBound(const GradientModel& model, const GradientSum& sum);

  /// The largest error of a softmax's gradient dx = y (dy - s).
  double of_softmax(double y, double dy) const;

  /// The largest error of a log-softmax's gradient dx = dy - exp(y) g.
  double of_log_softmax(double y, double dy) const;

 private:
  double rounded(double dx, double error) const;

  GradientModel model_;
  GradientSum sum_;
  double of_products_;  // the largest error of a sum of products
  double of_terms_;     // the largest error of a sum of terms
};

}  // namespace worklog
