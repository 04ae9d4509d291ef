/// \file
/// What comparing a result with the reference has found, and how it is said.
#pragma once

#include <cstdint>
#include <string>

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

  /// Notes a wrong element; `message` is kept if it is the first.
  void fail(std::int64_t row, std::string message);

  /// Adds what another checker found; the first failure is that of the lowest row.
  void merge(const Comparison& other);
};

/// A number with as many digits as tell floats apart; "nan" whatever its sign, which means nothing.
std::string number_text(double value);

/// "row 3, column 4: "
std::string place_text(std::int64_t row, const char* what, std::int64_t position);

/// Raises a maximum to value / unit, without a division for the many that are no new one.
void raise_maximum(double& maximum, double value, double unit);

}  // namespace worklog
