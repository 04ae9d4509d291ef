#include "common/verify/check_cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "common/verify/arithmetic.h"
#include "common/verify/poison.h"

namespace worklog {

namespace {

// Roundings of an exponential besides that of its difference: up to four exponentials and three
// products on its way into d, two and one on its way into a gradient.
constexpr double kIntoSum = 14.0;
constexpr double kIntoGradient = 6.0;
// Roundings of each of a gradient's two terms, which are products and quotients of a few numbers.
constexpr double kOfATerm = 4.0;

double relative_error_of_exponential(const GradientModel& model, double t, double roundings) {
  const double of_difference = model.storage == kArithmetic ? 1.0 : 3.0;
  return kU * (of_difference * std::abs(t) + roundings);
}

// What an exponential may be off where it is subnormal.
double spacing_of_exponentials(const GradientModel& model) {
  return model.storage == kArithmetic ? 4.0 * smallest_subnormal(kArithmetic) : power_of_two(-126);
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
    of_exponentials += exponentials[col] *
                       relative_error_of_exponential(model, logits[col] - row.softmax.m, kIntoSum);
    magnitude += std::abs(logits[col]);
  }
  RowErrors errors;
  errors.d = of_exponentials / row.softmax.d + model.additions * kU;
  errors.log_sum_exp =
      errors.d + kU * (2.0 * std::abs(std::log(row.softmax.d)) + std::abs(row.log_sum_exp));
  errors.mean = (model.additions + 1.0) * kU * magnitude / model.terms;
  return errors;
}

double error_of_loss(const CrossEntropyRow& row, const RowErrors& errors, double t_of_label) {
  const double log_d = std::log(row.softmax.d);
  const double lse = std::abs(row.log_sum_exp);
  const double plain = log_d - t_of_label;
  const double of_plain =
      errors.d + kU * (2.0 * std::abs(log_d) + std::abs(t_of_label) + std::abs(plain));
  const double smooth = std::isinf(row.mean) ? 0.0 : std::abs(row.log_sum_exp - row.mean);
  const double of_smooth = errors.log_sum_exp + errors.mean + kU * smooth;
  const double of_z = row.z_loss * (2.0 * lse * errors.log_sum_exp + 2.0 * kU * lse * lse);
  const double of_shares = 2.0 * kU * std::abs(plain);  // of 1 less the smoothing, and its product
  return (1.0 - row.label_smoothing) * (of_plain + of_shares) +
         row.label_smoothing * (of_smooth + kU * smooth) + of_z + 2.0 * kU * std::abs(row.loss);
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

GradientModel cross_entropy_model(const StepInfo& step, DType output, std::int64_t cols,
                                  int block_size) {
  GradientModel model = gradient_model(step, output, cols, block_size);
  constexpr double kLevelsOfATree = 16.0;
  const double two_vectors = 2.0 * 16.0 / static_cast<double>(size_of(output));
  if (step.summation != Summation::kSerial) {
    model.additions = static_cast<double>(cols) / block_size + kLevelsOfATree + two_vectors;
  }
  return model;
}

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

  const double z = 2.0 * exact.z_loss * exact.log_sum_exp;
  const double factor = 1.0 + z;
  const double of_factor =
      2.0 * exact.z_loss * errors.log_sum_exp + kU * (std::abs(z) + kOfATerm * std::abs(factor));
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
    const double of_p = e == 0.0 ? 0.0
                                 : p * (relative_error_of_exponential(
                                            model_, logits[at] - exact.softmax.m, kIntoGradient) +
                                        errors.d);
    const double error = (of_p + spacing_of_exponentials(model_)) * std::abs(factor) +
                         p * of_factor + kOfATerm * kU * target;
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
                    (additions + 4.0) * kU * magnitude * std::abs(scale_), 1.0, kArithmetic},
              got);
}

template void CrossEntropyChecker::check(std::int64_t, std::span<const double>, std::int64_t,
                                         const CrossEntropyResults<float>&);
template void CrossEntropyChecker::check(std::int64_t, std::span<const double>, std::int64_t,
                                         const CrossEntropyResults<__half>&);
template void CrossEntropyChecker::check(std::int64_t, std::span<const double>, std::int64_t,
                                         const CrossEntropyResults<__nv_bfloat16>&);

}  // namespace worklog
