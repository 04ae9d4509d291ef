/// \file
/// Compares one output of an attention with the reference, and says how far it may be from it.
///
/// Notation: s is an exact score, t = s - m, p = exp(t) / d the exact weight of a value v, o their
/// weighted sum, S = sum(p |v|), u the unit roundoff of fp32, 2^-24, in which all arithmetic is,
/// and n the number of columns. Queries, keys and values are what the step was given: exact.
///
/// **A score** adds up 64 products. Each addition is off by u A at most, A being the sum of the
/// products' magnitudes, and each product that fp32 does not hold by u of itself: together
/// delta. A product that is 0 costs nothing, so a score that is one element of a key is exact.
///
/// **A weight** is off, relative to p, by delta, by u |t| of rounding t, which may be in parts, and
/// by 3 u for each time that it is rescaled: an exponential and a product. That is as often as the
/// maximum rises behind its column. Where a lane has every 32nd column, its own maximum may rise
/// more often than the row's, and five more times where lanes are combined: the larger number is
/// taken. 16 u are for all that happens once.
///
/// **d** has as many additions as a lane has columns, n / 32, or n where one thread adds up all
/// (Summation::kSerial), of which each rounds by u d at most.
///
/// **o** has an addition for each column in any case, and one after the other. Its terms are
/// unequal, and their errors independent: by Hoeffding's inequality they stay within 4 u sqrt(n) S,
/// but for one element in 1500 at the very worst; errors spread evenly over their range make that
/// some nine standard deviations. (Higham and Mary, "A new approach to probabilistic rounding error
/// analysis", 2019) At worst they would be u n S, by which nobody could tell an output of 4096
/// columns from one that lacks a column.
///
/// An error of a weight changes its term of o and, by d, all of o: so o is off by the sum of
/// epsilon p |v|, by |o| times the sum of epsilon p, and by what the sums are off; it is rounded to
/// the storage type, half an ulp. Numbers that are subnormal are evenly spaced, which adds their
/// spacing for each column. Errors are told in units of the last place at S: where values cancel
/// out, an output has few digits that are right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/step/step.h"
#include "common/verify/comparison.h"
#include "common/verify/floating_format.h"

namespace worklog {

/// The keys and values that all queries share, each kHeadDim elements a column.
struct KeysAndValues {
  std::vector<double> keys;    ///< column after column
  std::vector<double> values;  ///< likewise
};

/// Compares outputs. Not for use by several threads at once. T is float, __half or __nv_bfloat16.
class AttentionChecker {
 public:
  /// `shared` must outlive the checker. Outputs are stored as `output`.
  AttentionChecker(const StepInfo& step, DType output, const KeysAndValues& shared);

  /// Compares the output `got` of row `row`, whose query is `query`, kHeadDim elements each.
  template <typename T>
  void check(std::int64_t row, std::span<const double> query, std::span<const T> got);

  /// What all checks together have found so far.
  const Comparison& found() const { return found_; }

 private:
  struct Element;
  struct Errors;
  Errors errors_of_weights(std::span<const double> query, double m, double d);
  template <typename T>
  void check_element(const Element& element, T stored);

  Summation summation_;
  FloatingFormat storage_;
  const KeysAndValues& shared_;
  std::vector<double> scores_;        // of the row
  std::vector<double> exponentials_;  // likewise
  std::vector<double> output_;        // likewise
  Comparison found_;
};

}  // namespace worklog
