#include "common/verify/gradient_bound.h"

#include <cmath>

#include "common/verify/arithmetic.h"

namespace worklog {

namespace {

constexpr double kMoreThanAShare = 32.0;  // columns
constexpr double kLevelsOfATree = 16.0;

}  // namespace

GradientModel gradient_model(const StepInfo& step, DType output, std::int64_t cols,
                             int block_size) {
  const auto columns = static_cast<double>(cols);
  const double of_tree = columns / block_size + kMoreThanAShare + kLevelsOfATree;
  return {.storage = format_of(output),
          .additions = step.summation == Summation::kSerial ? columns : of_tree,
          .terms = columns,
          .exact_sum = step.exact_sum && output == DType::kFloat32};
}

GradientBound::GradientBound(const GradientModel& model, const GradientSum& sum)
    : model_(model), sum_(sum) {
  const double of_additions = model.additions * kU;
  const double subnormal = model.terms * smallest_subnormal(kArithmetic);
  if (model.exact_sum) {
    of_terms_ = of_additions * of_additions * sum.magnitude;
    of_products_ = of_terms_ + subnormal;
  } else {
    of_terms_ = of_additions * sum.magnitude;
    of_products_ = of_terms_ + kU * sum.magnitude + subnormal;
  }
}

// An error before the last rounding, and that.
double GradientBound::rounded(double dx, double error) const {
  if (model_.storage != kArithmetic) error += kU * std::abs(dx) + smallest_subnormal(kArithmetic);
  return error + 0.5 * ulp(std::abs(dx) + error, model_.storage);
}

double GradientBound::of_softmax(double y, double dy) const {
  const double difference = std::abs(dy - sum_.value);
  const double of_difference = of_products_ + 2.0 * kU * (difference + of_products_);
  return rounded(y * (dy - sum_.value), std::abs(y) * of_difference);
}

double GradientBound::of_log_softmax(double y, double dy) const {
  const double p = std::exp(y);
  const double g = std::abs(sum_.value);
  const double of_exponential = 2.0 * kU * p + smallest_subnormal(kArithmetic);
  const double of_product = of_exponential * g + p * of_terms_ + kU * p * g;
  return rounded(dy - p * sum_.value, of_product + kU * (std::abs(dy) + p * g));
}

}  // namespace worklog
