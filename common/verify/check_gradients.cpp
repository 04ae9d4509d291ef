#include "common/verify/check_gradients.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <string>

#include "common/verify/poison.h"

namespace worklog {

// What a gradient must be, and how far it may be from that.
struct GradientChecker::Gradient {
  std::int64_t row;
  std::int64_t col;
  double expected;
  double bound;
  double larger_term;    // of the two whose difference it is
  double in_arithmetic;  // the largest magnitude on the way to it
  const GradientSum& sum;

  // "row 3, column 4: got nan, expected 0.5", and the sum that all gradients of the row share.
  std::string description(const std::string& got) const {
    return place_text(row, "column", col) + "got " + got + ", expected " + number_text(expected) +
           fmt::format(" (the row's sum is {})", number_text(sum.value));
  }
};

template <typename T>
void GradientChecker::check(const Gradient& gradient, T got) {
  ++found_.checked;
  const auto value = static_cast<double>(static_cast<float>(got));
  if (is_poison(got)) {
    found_.fail(gradient.row, gradient.description("nothing: never written"));
    return;
  }
  if (is_of_unwritten_scratch(got)) {
    found_.fail(gradient.row, gradient.description(number_text(value) +
                                                   ", made of scratch that was never written"));
    return;
  }
  if (std::isnan(gradient.expected)) {
    if (!std::isnan(value)) found_.fail(gradient.row, gradient.description(number_text(value)));
    return;
  }

  if (gradient.sum.may_be_nan && std::isnan(value)) return;
  const double most = std::abs(gradient.expected) + gradient.bound;
  const bool may_overflow = most > largest_finite(model_.storage) ||
                            gradient.in_arithmetic > largest_finite(format_of(DType::kFloat32));
  if (may_overflow && std::isinf(value) && value * gradient.expected > 0.0) return;
  const double error = std::abs(value - gradient.expected);
  const double one_ulp =
      ulp(std::max(gradient.larger_term, std::abs(gradient.expected)), model_.storage);
  // Written so that a NaN fails: every comparison with it is false.
  if (!(error <= gradient.bound)) {
    const std::string how_far = std::isnan(error)
                                    ? ""
                                    : fmt::format(": the error is {:.2f} ulp and may be {:.2f}",
                                                  error / one_ulp, gradient.bound / one_ulp);
    found_.fail(gradient.row, gradient.description(number_text(value)) + how_far);
  }
  if (!std::isfinite(error)) return;
  raise_maximum(found_.max_ulp, error, one_ulp);
  raise_maximum(found_.max_excess, error, one_ulp);
  raise_maximum(found_.max_share_of_bound, error, gradient.bound);
}

template <typename T>
void GradientChecker::check_softmax(std::int64_t row, std::span<const double> y,
                                    std::span<const double> dy, std::span<const T> got) {
  const GradientSum sum = softmax_gradient_sum(y, dy);
  const GradientBound bound(model_, sum);
  for (std::size_t col = 0; col < got.size(); ++col) {
    const double expected = sum.is_nan ? std::nan("") : softmax_gradient(y[col], dy[col], sum);
    const double larger = std::max(std::abs(dy[col]), std::abs(sum.value));
    check<T>({row, static_cast<std::int64_t>(col), expected, bound.of_softmax(y[col], dy[col]),
              std::abs(y[col]) * larger, std::abs(dy[col] - sum.value), sum},
             got[col]);
  }
}

template <typename T>
void GradientChecker::check_log_softmax(std::int64_t row, std::span<const double> y,
                                        std::span<const double> dy, std::span<const T> got) {
  const GradientSum sum = log_softmax_gradient_sum(dy);
  const GradientBound bound(model_, sum);
  for (std::size_t col = 0; col < got.size(); ++col) {
    const double expected = sum.is_nan ? std::nan("") : log_softmax_gradient(y[col], dy[col], sum);
    const double larger = std::max(std::abs(dy[col]), std::exp(y[col]) * std::abs(sum.value));
    check<T>({row, static_cast<std::int64_t>(col), expected, bound.of_log_softmax(y[col], dy[col]),
              larger, larger, sum},
             got[col]);
  }
}

template void GradientChecker::check_softmax(std::int64_t, std::span<const double>,
                                             std::span<const double>, std::span<const float>);
template void GradientChecker::check_softmax(std::int64_t, std::span<const double>,
                                             std::span<const double>, std::span<const __half>);
template void GradientChecker::check_softmax(std::int64_t, std::span<const double>,
                                             std::span<const double>,
                                             std::span<const __nv_bfloat16>);
template void GradientChecker::check_log_softmax(std::int64_t, std::span<const double>,
                                                 std::span<const double>, std::span<const float>);
template void GradientChecker::check_log_softmax(std::int64_t, std::span<const double>,
                                                 std::span<const double>, std::span<const __half>);
template void GradientChecker::check_log_softmax(std::int64_t, std::span<const double>,
                                                 std::span<const double>,
                                                 std::span<const __nv_bfloat16>);

}  // namespace worklog
