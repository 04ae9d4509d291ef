#include "common/verify/check_cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "common/verify/floating_format.h"
#include "common/verify/poison.h"

namespace worklog {

namespace {

constexpr FloatingFormat kArithmetic = format_of(DType::kFloat32);
constexpr double kU = unit_roundoff(kArithmetic);
constexpr double kFew = 4.0;  // roundings of a short expression

double relative_error_of_exponential(double t) {
  return kU * (3.0 * std::abs(t) + 12.0);
}

// What all results of a row share.
struct RowErrors {
  double d = 0.0;            // relative
  double log_sum_exp = 0.0;  // absolute
  double mean = 0.0;         // absolute
};

RowErrors errors_of(const CrossEntropyRow& row, const GradientModel& model,
                    std::span<const double> logits, std::span<const double> exponentials) {
  double of_exponentials = 0.0;
  double magnitude = 0.0;
  for (std::size_t col = 0; col < logits.size(); ++col) {
    if (exponentials[col] == 0.0) continue;
    of_exponentials +=
        exponentials[col] * relative_error_of_exponential(logits[col] - row.softmax.m);
    magnitude += std::abs(logits[col]);
  }
  RowErrors errors;
  errors.d = of_exponentials / row.softmax.d + (model.additions + 10.0) * kU;
  errors.log_sum_exp =
      errors.d + kU * (2.0 * std::abs(std::log(row.softmax.d)) + 2.0 * std::abs(row.log_sum_exp));
  errors.mean = (model.additions + 2.0) * kU * magnitude / model.terms;
  return errors;
}

double error_of_loss(const CrossEntropyRow& row, const RowErrors& errors, double t_of_label) {
  const double log_d = std::abs(std::log(row.softmax.d));
  const double lse = std::abs(row.log_sum_exp);
  const double plain = errors.d + kU * (2.0 * log_d + kFew * (log_d + std::abs(t_of_label)));
  const double mean = std::isinf(row.mean) ? 0.0 : std::abs(row.mean);
  const double smooth = errors.log_sum_exp + errors.mean + kFew * kU * (lse + mean);
  const double of_z = row.z_loss * (2.0 * lse * errors.log_sum_exp + kFew * kU * lse * lse);
  return (1.0 - row.label_smoothing) * plain + row.label_smoothing * smooth + of_z +
         kFew * kU * std::abs(row.loss);
}

}  // namespace

// A number that was computed, and what it must be.
struct CrossEntropyChecker::Value {
  std::int64_t row;
  const char* what;
  std::int64_t position;
  double expected;
  double bound;  // before it is rounded
  double at;     // where an ulp is taken
  FloatingFormat format;

  std::string description(const std::string& got) const {
    return place_text(row, what, position) + "got " + got + ", expected " + number_text(expected);
  }
};

CrossEntropyChecker::CrossEntropyChecker(const GradientModel& model,
                                         const CrossEntropyOptions& options, double scale)
    : model_(model),
      options_(options),
      scale_(scale),
      exponentials_(static_cast<std::size_t>(model.terms)) {}

template <typename T>
void CrossEntropyChecker::check_value(const Value& value, T stored) {
  ++found_.checked;
  const auto got = static_cast<double>(static_cast<float>(stored));
  if (is_poison(stored)) {
    found_.fail(value.row, value.description("nothing: never written"));
    return;
  }
  if (!std::isfinite(value.expected)) {
    const bool right = std::isnan(value.expected) ? std::isnan(got) : got == value.expected;
    if (!right) found_.fail(value.row, value.description(number_text(got)));
    return;
  }
  const double bound =
      value.bound + 0.5 * ulp(std::abs(value.expected) + value.bound, value.format);
  const bool may_overflow = std::abs(value.expected) + bound > largest_finite(value.format);
  if (may_overflow && std::isinf(got) && got * value.expected > 0.0) return;
  const double error = std::abs(got - value.expected);
  const double one_ulp = ulp(std::max(value.at, std::abs(value.expected)), value.format);
  // Written so that a NaN fails: every comparison with it is false.
  if (!(error <= bound)) {
    const std::string how_far = std::isnan(error)
                                    ? ""
                                    : fmt::format(": the error is {:.2f} ulp and may be {:.2f}",
                                                  error / one_ulp, bound / one_ulp);
    found_.fail(value.row, value.description(number_text(got)) + how_far);
  }
  if (!std::isfinite(error)) return;
  raise_maximum(found_.max_ulp, error, one_ulp);
  raise_maximum(found_.max_excess, error, one_ulp);
  raise_maximum(found_.max_share_of_bound, error, bound);
}

template <typename T>
void CrossEntropyChecker::check_ignored(std::int64_t row, const CrossEntropyResults<T>& got) {
  check_value(Value{row, "loss of the ignored row", row, 0.0, 0.0, 0.0, kArithmetic}, got.loss);
  check_value(Value{row, "log_sum_exp of the ignored row", row, 0.0, 0.0, 0.0, kArithmetic},
              got.log_sum_exp);
  for (std::size_t col = 0; col < got.gradients.size(); ++col) {
    check_value(Value{row, "ignored, column", static_cast<std::int64_t>(col), 0.0, 0.0, 0.0,
                      model_.storage},
                got.gradients[col]);
  }
}

template <typename T>
void CrossEntropyChecker::check(std::int64_t row, std::span<const double> logits,
                                std::int64_t label, const CrossEntropyResults<T>& got) {
  if (label == options_.ignore_index) {
    check_ignored(row, got);
    return;
  }
  const auto cols = static_cast<std::int64_t>(logits.size());
  const bool has_label = label >= 0 && label < cols;
  const CrossEntropyRow exact = cross_entropy_row(
      logits, has_label ? label : -1, options_.label_smoothing, options_.z_loss, exponentials_);
  RowErrors errors;
  double of_loss = 0.0;
  if (!exact.softmax.is_nan) {
    errors = errors_of(exact, model_, logits, exponentials_);
    const double t = has_label ? logits[static_cast<std::size_t>(label)] - exact.softmax.m : 0.0;
    of_loss = error_of_loss(exact, errors, std::isinf(t) ? 0.0 : t);
  }
  check_value(Value{row, "label", label, exact.loss, of_loss, 1.0, kArithmetic}, got.loss);
  check_value(Value{row, "log_sum_exp of row", row, exact.log_sum_exp, errors.log_sum_exp, 1.0,
                    kArithmetic},
              got.log_sum_exp);

  const double factor = 1.0 + 2.0 * exact.z_loss * exact.log_sum_exp;
  const double of_factor = 2.0 * exact.z_loss * errors.log_sum_exp + kFew * kU * std::abs(factor);
  for (std::int64_t col = 0; col < cols; ++col) {
    const auto at = static_cast<std::size_t>(col);
    if (exact.softmax.is_nan || !has_label) {
      check_value(Value{row, "column", col, std::nan(""), 0.0, 0.0, model_.storage},
                  got.gradients[at]);
      continue;
    }
    const double e = exponentials_[at];
    const double p = e / exact.softmax.d;
    const double gradient = scale_ * cross_entropy_gradient(exact, e, col == label, cols);
    const double target = std::abs(p * factor - gradient / scale_);
    const double of_p = e == 0.0
                            ? 0.0
                            : p * (relative_error_of_exponential(logits[at] - exact.softmax.m) +
                                   errors.d + kFew * kU);
    double error =
        of_p * std::abs(factor) + p * of_factor + kFew * kU * (p * std::abs(factor) + target);
    error += power_of_two(-126) * std::abs(factor);
    const double larger = std::max(p * std::abs(factor), target);
    check_value(Value{row, "column", col, gradient,
                      scale_ * error + kU * std::abs(gradient) + smallest_subnormal(kArithmetic),
                      scale_ * larger, model_.storage},
                got.gradients[at]);
  }
}

void CrossEntropyChecker::check_total(double sum, double magnitude, std::int64_t rows, float got) {
  const double expected = sum * scale_;
  const double additions = static_cast<double>(rows) / 32.0 + 64.0;
  check_value(Value{rows, "total of rows", rows, expected,
                    (additions + kFew) * kU * magnitude * std::abs(scale_), 1.0, kArithmetic},
              got);
}

template void CrossEntropyChecker::check(std::int64_t, std::span<const double>, std::int64_t,
                                         const CrossEntropyResults<float>&);
template void CrossEntropyChecker::check(std::int64_t, std::span<const double>, std::int64_t,
                                         const CrossEntropyResults<__half>&);
template void CrossEntropyChecker::check(std::int64_t, std::span<const double>, std::int64_t,
                                         const CrossEntropyResults<__nv_bfloat16>&);

}  // namespace worklog
