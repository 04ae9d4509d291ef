/// \file
/// How far a computed probability may be from the exact one.
///
/// Notation: p = e / d is exact, with e = exp(t), t = x - m, and d the sum of a row's e. u is the
/// unit roundoff of the arithmetic (2^-24 in fp32), ulp one unit in the last place at p.
///
/// **Any step.** Rounding t to fp32 changes it by up to u|t|, and e by that relative amount: up to
/// |t| ulp. The exponential function, the division and a tree's sum of d add a constant that grows
/// slowly with the width, and a surcharge for rows that one column leads:
///
///     columns        bound (ulp)
///     to 4096        5 + |t| + surcharge
///     to 100000      8 + |t| + surcharge
///     more           8 + |t| + surcharge + 2 log2(columns / 100000)
///
/// A simulation of normally distributed logits, 256 lanes and a tree gave 3.3 + |t| at 4096 columns
/// and 6.7 + |t| at 100000, with an exponential function that is right to half an ulp, as the
/// host's is. Rows with planted outliers, whose d comes from few columns, err more. With 4 + |t| in
/// the first line the tests of every width found one element on the host (of some 10^8) that was
/// 0.06 ulp beyond it. On an H200, of some 10^9 elements each time, two were 0.11 ulp beyond 5 +
/// |t|, and with 4.5 in the line and 1 more for a GPU one was 0.05 ulp beyond that: 5 it is. On a
/// GPU 1 ulp is added: CUDA promises 1 ulp for expf where the host is right to half of one, and the
/// quotient may have twice as many ulp as e. Doubling the width adds one level to a tree: one
/// exponential, product and sum, each rounded. Where exponentials are subnormal they are evenly
/// spaced, which adds their spacing / d.
///
/// The surcharge: in those rows many threads had sums of about the same size, and their errors,
/// being independent, averaged out. The leader's way into d has A = columns / threads +
/// log2(threads) additions, and each rounds a sum of at least 1 by up to u: nothing averages that
/// out if d is little more than 1. Hoeffding's inequality bounds the sum of A such errors by 3 u
/// sqrt(A), but for one row in 45 at the very worst; errors spread evenly over their range make
/// that five standard deviations. So it is 3 sqrt(A) / d: 15 ulp for a leader of 4096 columns that
/// outweighs all others, and 0.07 ulp for 4096 normally distributed logits (d = 200).
///
/// A variant that subtracts no maximum adds up equal terms that are not 1 where all logits are
/// equal. Their errors go the same way, at most one u for each of the A additions.
///
/// **Serial sums** (Summation::kSerial) take 4 + |t| for everything but d. Let S_k be d after k
/// terms. Adding term e_k rounds S_k to a multiple of its own spacing, an error of up to u S_k that
/// depends on e_k and on S_k's exponent only.
///  - Unequal terms err independently, with mean 0. By Hoeffding's inequality their sum stays
///    within 4 u sqrt(sum of S_k^2), but for one row in 1500 at the very worst; errors spread
///    evenly over their range make that some nine standard deviations. (Higham and Mary, "A new
///    approach to probabilistic rounding error analysis", 2019.)
///  - Equal terms err alike, so their errors add up before they are squared.
///  - Terms of less than half the spacing of S_k are lost altogether, and added as a whole.
///  - Exact 1s, the row's maxima, cost nothing until S_k has used up the significand.
///  - The terms' own errors, u|t| each, are added as they are.
/// For 4096 random logits that comes to about 150 u. A tree has none of it, which is the reason for
/// the separate bound.
///
/// **Storage types.** fp16 and bf16 results are fp32 results rounded once: 1/2 ulp of the storage
/// type plus the bound above in fp32's, much smaller, ulps. Exponentials that are stored in between
/// (StepInfo::stores_exponentials) are rounded there: 1/2 ulp at e, relative to d, for the element,
/// and the sum of those for d.
///
/// **Arithmetic in the storage type** (StepInfo::storage_arithmetic): the same derivation with that
/// type's u, the exponentials' rounding included. It can be large: a serial sum in fp16 stops
/// growing at 2048, and d is then only known to lie between 1 and its exact value.
///
/// **Logarithms.** y = t - log d is a difference, so its error is not relative to y: t is off by up
/// to u|t|, log d by the relative error of d (for which all of the table's ulps are taken, 2u each)
/// and by 2u log d of the logarithm's own, and the result is rounded once, 1/2 ulp of the storage
/// type. Where y is near 0, because one column has nearly all of the row, that is many ulp of y and
/// still all that fp32 can know of d.
///
/// What the bound does not cover: threads that add up more than some 10^5 columns each, one after
/// the other, as one block with a row of more than 10^8 does: their sums err as serial ones. And a
/// row in which one logit leads very many by 17. Each of those is then less than half an ulp of the
/// running sum in the thread that has the leader, and lost there. Of 100000 columns over 256
/// threads, that is up to 390 u.
#pragma once

#include <cstdint>
#include <span>

#include "common/reference/softmax_row.h"
#include "common/step/dtype.h"
#include "common/step/step.h"
#include "common/verify/floating_format.h"

namespace worklog {

/// What the bound needs to know of a step and its output.
struct ErrorModel {
  FloatingFormat storage;                  ///< of the output
  FloatingFormat arithmetic;               ///< in which it was computed
  Summation summation = Summation::kTree;  ///< how the step adds up a row
  bool exact_difference = false;           ///< see StepInfo
  bool rounds_exponentials = false;        ///< to the storage type
  double base_ulp = 0.0;    ///< the bound of the table above, |t| and surcharge aside
  double leader_ulp = 0.0;  ///< the surcharge, times d
  double equal_ulp = 0.0;   ///< added to the base where all terms are equal
};

/// The model of `step`'s probabilities, stored as `output`, of rows of `cols` columns and with
/// `block_size` threads share a row, unless one thread adds it up alone.
ErrorModel error_model(const StepInfo& step, DType output, std::int64_t cols, int block_size);

/// The bounds of one row's elements.
class RowBound {
 public:
  /// `row` and its `exponentials`, in the order of columns, are exact: see softmax_row. A row that
  /// is NaN has no bounds.
  RowBound(const ErrorModel& model, const SoftmaxRow& row, std::span<const double> exponentials);

  /// The largest error of a probability whose t and e are given.
  double of(double t, double e) const;

  /// The part of it that rounding t causes: |t| ulp of the arithmetic.
  double of_difference(double t, double p) const;

  /// The largest error of a log-probability y = t - log d.
  double of_logarithm(double t, double y) const;

 private:
  ErrorModel model_;
  double d_;
  double smallest_d_;  // what the computed d may be

  // What of() needs of the row, because it is asked for every element.
  double ulps_ = 0.0;  // before the final rounding
  double subnormal_over_d_ = 0.0;
  double of_d_ = 0.0;  // relative to e
};

}  // namespace worklog
