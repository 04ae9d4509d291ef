#include "common/reference/softmax_gradient.h"

#include <cmath>
#include <limits>

namespace worklog {

namespace {

void add(GradientSum& sum, double term) {
  sum.value += term;
  sum.magnitude += std::abs(term);
}

// A term that is no number has made the sum one.
GradientSum checked(GradientSum sum) {
  const auto largest = static_cast<double>(std::numeric_limits<float>::max());
  sum.is_nan = !(std::abs(sum.value) <= largest);
  sum.may_be_nan = sum.magnitude > largest;
  return sum;
}

}  // namespace

GradientSum softmax_gradient_sum(std::span<const double> probabilities,
                                 std::span<const double> gradients) {
  GradientSum sum;
  for (std::size_t col = 0; col < gradients.size(); ++col)
    add(sum, probabilities[col] * gradients[col]);
  return checked(sum);
}

GradientSum log_softmax_gradient_sum(std::span<const double> gradients) {
  GradientSum sum;
  for (const double gradient : gradients)
    add(sum, gradient);
  return checked(sum);
}

double log_softmax_gradient(double log_probability, double gradient, const GradientSum& sum) {
  return gradient - std::exp(log_probability) * sum.value;
}

}  // namespace worklog
