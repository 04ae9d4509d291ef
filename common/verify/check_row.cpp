#include "common/verify/check_row.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "common/verify/poison.h"

namespace worklog {

namespace {

std::string to_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string to_text(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string place(std::int64_t row, const char* what, std::int64_t position) {
  return "row " + std::to_string(row) + ", " + what + " " + std::to_string(position) + ": ";
}

// Raises a maximum to value / unit, without a division for the many that are no new one.
void raise(double& maximum, double value, double unit) {
  if (value > maximum * unit) maximum = std::max(maximum, value / unit);
}

}  // namespace

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

// A probability that was computed, and the exact one.
struct RowChecker::Element {
  std::int64_t row;
  const char* position_name;
  std::int64_t position;
  double got;
  bool never_written;
  double t;  // x - m
  double e;  // exp(t)
  const SoftmaxRow& softmax;
  const RowBound& bound;
};

RowChecker::RowChecker(const ErrorModel& model, std::int64_t cols)
    : model_(model), exponentials_(static_cast<std::size_t>(cols)) {}

void RowChecker::fail(std::int64_t row, std::string message) {
  ++found_.wrong;
  if (found_.failed_row >= 0) return;
  found_.failed_row = row;
  found_.failure = std::move(message);
}

void RowChecker::check_probability(const Element& element) {
  ++found_.checked;
  const double expected = element.softmax.is_nan ? std::nan("") : element.e / element.softmax.d;
  const auto describe = [&](const std::string& got) {
    return place(element.row, element.position_name, element.position) + "got " + got +
           ", expected " + to_text(expected);
  };
  if (element.never_written) {
    fail(element.row, describe("nothing: never written"));
    return;
  }
  if (element.softmax.is_nan) {
    if (!std::isnan(element.got)) fail(element.row, describe(to_text(element.got)));
    return;
  }

  const double bound = element.bound.of(element.t, element.e);
  const double error = std::abs(element.got - expected);
  const double one_ulp = ulp(expected, model_.storage);
  // Written so that a NaN fails: every comparison with it is false.
  if (!(error <= bound && element.got >= 0.0)) {
    fail(element.row, describe(to_text(element.got)) + ": the error is " +
                          to_text(error / one_ulp, "%.2f") + " ulp and may be " +
                          to_text(bound / one_ulp, "%.2f") +
                          " (x - m = " + to_text(element.t, "%.6g") + ")");
  }
  if (!std::isfinite(error)) return;
  raise(found_.max_ulp, error, one_ulp);
  raise(found_.max_excess, error - element.bound.of_difference(element.t, expected), one_ulp);
  raise(found_.max_share_of_bound, error, bound);
}

template <typename T>
void RowChecker::check_softmax(std::int64_t row, std::span<const double> logits,
                               std::span<const T> probabilities) {
  const SoftmaxRow softmax = softmax_row(logits, exponentials_);
  const RowBound bound(model_, softmax, exponentials_);
  double sum = 0.0;
  for (std::size_t col = 0; col < logits.size(); ++col) {
    const auto got = static_cast<double>(static_cast<float>(probabilities[col]));
    sum += got;
    check_probability({row, "column", static_cast<std::int64_t>(col), got,
                       is_poison(probabilities[col]), logits[col] - softmax.m, exponentials_[col],
                       softmax, bound});
  }
  if (logits.empty()) return;
  const double sum_error = std::abs(sum - 1.0);
  if (std::isfinite(sum_error)) {
    found_.max_sum_error = std::max(found_.max_sum_error, sum_error);
  }
}

template void RowChecker::check_softmax(std::int64_t, std::span<const double>,
                                        std::span<const float>);
template void RowChecker::check_softmax(std::int64_t, std::span<const double>,
                                        std::span<const __half>);
template void RowChecker::check_softmax(std::int64_t, std::span<const double>,
                                        std::span<const __nv_bfloat16>);

void RowChecker::check_logarithm(const Element& element) {
  ++found_.checked;
  const double expected =
      element.softmax.is_nan ? std::nan("") : element.t - std::log(element.softmax.d);
  const auto describe = [&](const std::string& got) {
    return place(element.row, element.position_name, element.position) + "got " + got +
           ", expected " + to_text(expected);
  };
  if (element.never_written) {
    fail(element.row, describe("nothing: never written"));
    return;
  }
  if (std::isnan(expected) || std::isinf(expected)) {
    const bool right = std::isnan(expected) ? std::isnan(element.got) : element.got == expected;
    if (!right) fail(element.row, describe(to_text(element.got)));
    return;
  }

  const double bound = element.bound.of_logarithm(element.t, expected);
  const bool may_overflow = bound - expected > largest_finite(model_.storage);
  if (may_overflow && std::isinf(element.got) && element.got < 0.0) return;
  const double error = std::abs(element.got - expected);
  const double one_ulp = ulp(std::max(1.0, std::abs(expected)), model_.storage);
  // Written so that a NaN fails: every comparison with it is false.
  if (!(error <= bound && element.got <= 0.0)) {
    fail(element.row, describe(to_text(element.got)) + ": the error is " +
                          to_text(error / one_ulp, "%.2f") + " ulp and may be " +
                          to_text(bound / one_ulp, "%.2f") +
                          " (x - m = " + to_text(element.t, "%.6g") + ")");
  }
  if (!std::isfinite(error)) return;
  raise(found_.max_ulp, error, one_ulp);
  raise(found_.max_share_of_bound, error, bound);
}

template <typename T>
void RowChecker::check_log_softmax(std::int64_t row, std::span<const double> logits,
                                   std::span<const T> log_probabilities) {
  const SoftmaxRow softmax = softmax_row(logits, exponentials_);
  const RowBound bound(model_, softmax, exponentials_);
  for (std::size_t col = 0; col < logits.size(); ++col) {
    check_logarithm({row, "column", static_cast<std::int64_t>(col),
                     static_cast<double>(static_cast<float>(log_probabilities[col])),
                     is_poison(log_probabilities[col]), logits[col] - softmax.m, exponentials_[col],
                     softmax, bound});
  }
}

template void RowChecker::check_log_softmax(std::int64_t, std::span<const double>,
                                            std::span<const float>);
template void RowChecker::check_log_softmax(std::int64_t, std::span<const double>,
                                            std::span<const __half>);
template void RowChecker::check_log_softmax(std::int64_t, std::span<const double>,
                                            std::span<const __nv_bfloat16>);

void RowChecker::check_loss(std::int64_t row, std::span<const double> logits, std::int64_t label,
                            float loss) {
  SoftmaxRow softmax = softmax_row(logits, exponentials_);
  const RowBound bound(model_, softmax, exponentials_);
  const bool has_label = label >= 0 && label < static_cast<std::int64_t>(logits.size());
  softmax.is_nan |= !has_label;
  const auto col = static_cast<std::size_t>(has_label ? label : 0);
  check_logarithm({row, "label", label, -static_cast<double>(loss), is_poison(loss),
                   logits[col] - softmax.m, exponentials_[col], softmax, bound});
}

// Leaves the expected columns in columns_. False if an index is wrong: its value is then not worth
// comparing.
bool RowChecker::check_indices(std::int64_t row, std::span<const double> ranked,
                               std::span<const std::int64_t> indices) {
  columns_ = largest_columns(ranked, static_cast<int>(indices.size()));
  bool right = true;
  for (std::size_t rank = 0; rank < indices.size(); ++rank) {
    ++found_.checked;
    if (indices[rank] == columns_[rank]) continue;
    right = false;
    const std::string got = is_poison(indices[rank]) ? "nothing: never written"
                                                     : "column " + std::to_string(indices[rank]);
    fail(row, place(row, "rank", static_cast<std::int64_t>(rank)) + "got " + got +
                  ", expected column " + std::to_string(columns_[rank]) + ", where " +
                  to_text(ranked[static_cast<std::size_t>(columns_[rank])]) + " is");
  }
  return right;
}

void RowChecker::check_softmax_top_k(std::int64_t row, std::span<const double> logits,
                                     std::span<const float> values,
                                     std::span<const std::int64_t> indices) {
  if (!check_indices(row, logits, indices)) return;
  const SoftmaxRow softmax = softmax_row(logits, exponentials_);
  const RowBound bound(model_, softmax, exponentials_);
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    const auto col = static_cast<std::size_t>(columns_[rank]);
    check_probability({row, "rank", static_cast<std::int64_t>(rank),
                       static_cast<double>(values[rank]), is_poison(values[rank]),
                       logits[col] - softmax.m, exponentials_[col], softmax, bound});
  }
}

void RowChecker::check_top_k(std::int64_t row, std::span<const double> given,
                             std::span<const float> values, std::span<const std::int64_t> indices) {
  if (!check_indices(row, given, indices)) return;
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    ++found_.checked;
    const double expected = given[static_cast<std::size_t>(columns_[rank])];
    const auto got = static_cast<double>(values[rank]);
    const bool right = std::isnan(expected) ? std::isnan(got) : got == expected;
    if (right && !is_poison(values[rank])) continue;
    const std::string shown =
        is_poison(values[rank]) ? std::string("nothing: never written") : to_text(got);
    fail(row, place(row, "rank", static_cast<std::int64_t>(rank)) + "got " + shown + ", expected " +
                  to_text(expected));
  }
}

}  // namespace worklog
