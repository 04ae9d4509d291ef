/// \file
/// The contract of softmax and top-k, in double precision on the host, a row at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace worklog {

/// Softmax of one row: exp(x - m) / d with the row's maximum m and d, the sum of exp(x - m).
/// A row with NaN or +inf, or of -inf only, is NaN throughout.
struct SoftmaxRow {
  double m = 0.0;       ///< the row's maximum
  double d = 0.0;       ///< the sum of exp(x - m)
  bool is_nan = false;  ///< whether the whole row is NaN; m and d say nothing then
};

/// Computes m and d of `logits` and writes exp(x - m) to `exponentials`, which has as many elements
/// and is left alone if the row is NaN. Adding in double costs at most (columns x 2^-53) of d: for
/// 10^6 columns a thousandth of fp32's last place.
SoftmaxRow softmax_row(std::span<const double> logits, std::span<double> exponentials);

/// The columns of the k largest values, descending; ties to the lowest column; a NaN is larger than
/// everything, and NaNs tie. Needs 0 <= k <= values.size().
std::vector<std::int64_t> largest_columns(std::span<const double> values, int k);

}  // namespace worklog
