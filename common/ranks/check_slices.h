/// \file
/// Compares what all ranks have made of their slices with the reference on the joined rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ranks/rank_case.h"
#include "common/verify/comparison.h"

namespace worklog {

/// What a rank has made of its slice.
template <typename T>
struct SliceOutput {
  std::vector<T> results;           ///< rows x columns of the slice
  std::vector<float> losses;        ///< rows, of a cross-entropy
  std::vector<float> log_sum_exps;  ///< likewise

  /// As bytes, for Group::exchange().
  std::string bytes() const;
};

/// The inverse of SliceOutput::bytes(), for a slice of so many columns.
template <typename T>
SliceOutput<T> output_of(const std::string& bytes, const RankCase& a_case, std::int64_t cols);

/// The labels of a case: those of common/verify/labels.h, but for three that no column has, one of
/// which step 20 would ignore, and for the first and the last column.
std::vector<std::int64_t> labels_of(const RankCase& a_case);

/// Compares each rank's results with the reference in double precision, on the joined rows.
///
/// A probability may be off by the bound of steps 13 to 17 (3 ulp of fp32, 0.51 of the others), and
/// by what the exchange adds (RankStepInfo::ulp_of_exchange); a logarithm by what follows of that;
/// losses and gradients as check_cross_entropy.h derives.
template <typename T>
Comparison check_slices(const RankCase& a_case, const std::vector<SliceOutput<T>>& outputs);

}  // namespace worklog
