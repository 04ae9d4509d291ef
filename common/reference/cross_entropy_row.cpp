#include "common/reference/cross_entropy_row.h"

#include <cmath>
#include <numeric>

namespace worklog {

CrossEntropyRow cross_entropy_row(std::span<const double> logits, std::int64_t label,
                                  double label_smoothing, double z_loss,
                                  std::span<double> exponentials) {
  CrossEntropyRow row{.softmax = softmax_row(logits, exponentials),
                      .label_smoothing = label_smoothing,
                      .z_loss = z_loss};
  if (row.softmax.is_nan) {
    row.log_sum_exp = row.mean = row.loss = std::nan("");
    return row;
  }
  const double log_d = std::log(row.softmax.d);
  const auto cols = static_cast<double>(logits.size());
  row.log_sum_exp = row.softmax.m + log_d;
  row.mean = std::accumulate(logits.begin(), logits.end(), 0.0) / cols;
  if (label < 0) {
    row.loss = std::nan("");
    return row;
  }
  const double x = logits[static_cast<std::size_t>(label)];
  row.loss = z_loss * row.log_sum_exp * row.log_sum_exp;
  // Nothing times infinity would be NaN.
  if (label_smoothing < 1.0) row.loss += (1.0 - label_smoothing) * (log_d - (x - row.softmax.m));
  if (label_smoothing > 0.0) row.loss += label_smoothing * (row.log_sum_exp - row.mean);
  return row;
}

double cross_entropy_gradient(const CrossEntropyRow& row, double exponential, bool is_label,
                              std::int64_t cols) {
  const double p = exponential / row.softmax.d;
  const double target = row.label_smoothing / static_cast<double>(cols) +
                        (is_label ? 1.0 - row.label_smoothing : 0.0);
  return p * (1.0 + 2.0 * row.z_loss * row.log_sum_exp) - target;
}

}  // namespace worklog
