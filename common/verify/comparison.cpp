#include "common/verify/comparison.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace worklog {

void Comparison::fail(std::int64_t row, std::string message) {
  ++wrong;
  if (failed_row >= 0) return;
  failed_row = row;
  failure = std::move(message);
}

void Comparison::merge(const Comparison& other) {
  checked += other.checked;
  wrong += other.wrong;
  max_ulp = std::max(max_ulp, other.max_ulp);
  max_excess = std::max(max_excess, other.max_excess);
  max_share_of_bound = std::max(max_share_of_bound, other.max_share_of_bound);
  max_sum_error = std::max(max_sum_error, other.max_sum_error);
  if (other.failed_row >= 0 && (failed_row < 0 || other.failed_row < failed_row)) {
    failed_row = other.failed_row;
    failure = other.failure;
  }
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{:.9g}", value);
}

std::string place_text(std::int64_t row, const char* what, std::int64_t position) {
  return fmt::format("row {}, {} {}: ", row, what, position);
}

void raise_maximum(double& maximum, double value, double unit) {
  if (value > maximum * unit) maximum = std::max(maximum, value / unit);
}

}  // namespace worklog
