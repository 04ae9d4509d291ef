#include "common/verify/check_row.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "common/verify/poison.h"

namespace worklog {

namespace {

std::string error_text(double error, double bound, double one_ulp, double t) {
  return fmt::format(": the error is {:.2f} ulp and may be {:.2f} (x - m = {:.6g})",
                     error / one_ulp, bound / one_ulp, t);
}

// The first column that holds such a logit, or the row's length.
template <typename Is>
std::ptrdiff_t first_column(std::span<const double> logits, Is is) {
  return std::find_if(logits.begin(), logits.end(), is) - logits.begin();
}

bool is_nan(double x) {
  return std::isnan(x);
}
bool is_infinity(double x) {
  return std::isinf(x) && x > 0.0;
}
bool is_masked(double x) {
  return std::isinf(x) && x < 0.0;
}

// Why a result must be NaN.
std::string reason_of_nan(std::span<const double> logits) {
  const std::ptrdiff_t nan = first_column(logits, is_nan);
  if (nan < std::ssize(logits)) return "the logit of column " + std::to_string(nan) + " is nan";
  const std::ptrdiff_t infinity = first_column(logits, is_infinity);
  if (infinity < std::ssize(logits)) {
    return "the logit of column " + std::to_string(infinity) + " is inf";
  }
  const bool all_masked = std::all_of(logits.begin(), logits.end(), is_masked);
  return all_masked ? "all logits of the row are -inf" : "there is no such column";
}

// What may have led to a NaN that nobody expects.
std::string note_of_masked(std::span<const double> logits) {
  const auto masked = std::count_if(logits.begin(), logits.end(), is_masked);
  if (masked == 0) return "";
  return fmt::format(": of the row's {} logits {} {} -inf, the first in column {}", logits.size(),
                     masked, masked == 1 ? "is" : "are", first_column(logits, is_masked));
}

}  // namespace

// A probability that was computed, and the exact one.
struct RowChecker::Element {
  std::int64_t row;
  const char* position_name;
  std::int64_t position;
  double got;
  bool never_written;
  bool of_unwritten_scratch;
  double t;  // x - m
  double e;  // exp(t)
  const SoftmaxRow& softmax;
  const RowBound& bound;
  std::span<const double> logits;

  // What was there: a number, a NaN and where it may come from, or nothing.
  std::string got_text() const {
    if (never_written) return "nothing: never written";
    if (of_unwritten_scratch) return number_text(got) + ", made of scratch that was never written";
    return number_text(got);
  }

  // "row 3, column 4: got nan, expected 0.5", and what in the row explains a NaN.
  std::string description(double expected) const {
    std::string text = place_text(row, position_name, position) + "got " + got_text() +
                       ", expected " + number_text(expected);
    if (std::isnan(expected)) return text + ": " + reason_of_nan(logits);
    if (std::isnan(got) && !never_written) return text + note_of_masked(logits);
    return text;
  }
};

RowChecker::RowChecker(const ErrorModel& model, std::int64_t cols)
    : model_(model), exponentials_(static_cast<std::size_t>(cols)) {}

void RowChecker::check_probability(const Element& element) {
  ++found_.checked;
  const double expected = element.softmax.is_nan ? std::nan("") : element.e / element.softmax.d;
  if (element.never_written) {
    found_.fail(element.row, element.description(expected));
    return;
  }
  if (element.softmax.is_nan) {
    if (!std::isnan(element.got)) found_.fail(element.row, element.description(expected));
    return;
  }

  const double bound = element.bound.of(element.t, element.e);
  const double error = std::abs(element.got - expected);
  const double one_ulp = ulp(expected, model_.storage);
  // Written so that a NaN fails: every comparison with it is false.
  if (!(error <= bound && element.got >= 0.0)) {
    found_.fail(element.row,
                element.description(expected) +
                    (std::isnan(error) ? "" : error_text(error, bound, one_ulp, element.t)));
  }
  if (!std::isfinite(error)) return;
  raise_maximum(found_.max_ulp, error, one_ulp);
  raise_maximum(found_.max_excess, error - element.bound.of_difference(element.t, expected),
                one_ulp);
  raise_maximum(found_.max_share_of_bound, error, bound);
}

template <typename T>
void RowChecker::check_softmax(std::int64_t row, std::span<const double> logits,
                               std::span<const T> probabilities) {
  const SoftmaxRow softmax = softmax_row(logits, exponentials_);
  const RowBound bound(model_, softmax, exponentials_);
  const bool was_right = found_.wrong == 0;
  double sum = 0.0;
  for (std::size_t col = 0; col < logits.size(); ++col) {
    const auto got = static_cast<double>(static_cast<float>(probabilities[col]));
    sum += got;
    check_probability({row, "column", static_cast<std::int64_t>(col), got,
                       is_poison(probabilities[col]), is_of_unwritten_scratch(probabilities[col]),
                       logits[col] - softmax.m, exponentials_[col], softmax, bound, logits});
  }
  if (logits.empty()) return;
  if (was_right && found_.wrong > 0 && !softmax.is_nan && std::isfinite(sum)) {
    found_.failure += fmt::format("; the row's probabilities add up to {:.6g}", sum);
  }
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
  if (element.never_written) {
    found_.fail(element.row, element.description(expected));
    return;
  }
  if (std::isnan(expected) || std::isinf(expected)) {
    const bool right = std::isnan(expected) ? std::isnan(element.got) : element.got == expected;
    if (!right) found_.fail(element.row, element.description(expected));
    return;
  }

  const double bound = element.bound.of_logarithm(element.t, expected);
  const bool may_overflow = bound - expected > largest_finite(model_.storage);
  if (may_overflow && std::isinf(element.got) && element.got < 0.0) return;
  const double error = std::abs(element.got - expected);
  const double one_ulp = ulp(std::max(1.0, std::abs(expected)), model_.storage);
  // Written so that a NaN fails: every comparison with it is false.
  if (!(error <= bound && element.got <= 0.0)) {
    found_.fail(element.row,
                element.description(expected) +
                    (std::isnan(error) ? "" : error_text(error, bound, one_ulp, element.t)));
  }
  if (!std::isfinite(error)) return;
  raise_maximum(found_.max_ulp, error, one_ulp);
  raise_maximum(found_.max_share_of_bound, error, bound);
}

template <typename T>
void RowChecker::check_log_softmax(std::int64_t row, std::span<const double> logits,
                                   std::span<const T> log_probabilities) {
  const SoftmaxRow softmax = softmax_row(logits, exponentials_);
  const RowBound bound(model_, softmax, exponentials_);
  const bool was_right = found_.wrong == 0;
  for (std::size_t col = 0; col < logits.size(); ++col) {
    check_logarithm({row, "column", static_cast<std::int64_t>(col),
                     static_cast<double>(static_cast<float>(log_probabilities[col])),
                     is_poison(log_probabilities[col]),
                     is_of_unwritten_scratch(log_probabilities[col]), logits[col] - softmax.m,
                     exponentials_[col], softmax, bound, logits});
  }
  if (!was_right || found_.wrong == 0 || softmax.is_nan) return;
  double sum = 0.0;
  for (const T y : log_probabilities)
    sum += std::exp(static_cast<double>(static_cast<float>(y)));
  if (std::isfinite(sum)) {
    found_.failure += fmt::format("; the exponentials of the row's results add up to {:.6g}", sum);
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
                   is_of_unwritten_scratch(loss), logits[col] - softmax.m, exponentials_[col],
                   softmax, bound, logits});
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
    found_.fail(row,
                place_text(row, "rank", static_cast<std::int64_t>(rank)) +
                    fmt::format("got {}, expected column {}, where {} is", got, columns_[rank],
                                number_text(ranked[static_cast<std::size_t>(columns_[rank])])));
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
                       is_of_unwritten_scratch(values[rank]), logits[col] - softmax.m,
                       exponentials_[col], softmax, bound, logits});
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
        is_poison(values[rank]) ? std::string("nothing: never written") : number_text(got);
    found_.fail(row, place_text(row, "rank", static_cast<std::int64_t>(rank)) + "got " + shown +
                         ", expected " + number_text(expected));
  }
}

}  // namespace worklog
