#include "common/reference/softmax_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace worklog {

SoftmaxRow softmax_row(std::span<const double> logits, std::span<double> exponentials) {
  SoftmaxRow row{.m = -std::numeric_limits<double>::infinity()};
  for (const double x : logits) {
    if (std::isnan(x)) row.is_nan = true;
    row.m = std::max(row.m, x);
  }
  row.is_nan = row.is_nan || std::isinf(row.m);
  if (row.is_nan) return row;
  for (std::size_t col = 0; col < logits.size(); ++col) {
    exponentials[col] = std::exp(logits[col] - row.m);
    row.d += exponentials[col];
  }
  return row;
}

std::vector<std::int64_t> largest_columns(std::span<const double> values, int k) {
  const auto comes_before = [values](std::int64_t a, std::int64_t b) {
    const double x = values[static_cast<std::size_t>(a)];
    const double y = values[static_cast<std::size_t>(b)];
    if (std::isnan(x) != std::isnan(y)) return std::isnan(x);
    if (x != y && !std::isnan(x)) return x > y;
    return a < b;
  };
  std::vector<std::int64_t> columns(values.size());
  std::iota(columns.begin(), columns.end(), std::int64_t{0});
  std::partial_sort(columns.begin(), columns.begin() + k, columns.end(), comes_before);
  columns.resize(static_cast<std::size_t>(k));
  return columns;
}

}  // namespace worklog
