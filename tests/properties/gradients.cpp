// Properties of the gradients that steps are compared with: they are the derivatives of
// the forward pass in common/reference, and a softmax's add up to 0.
//
// Tolerances. A loss is the sum of w_i y_i with weights w, so that dy = w. As a function of one
// logit x_j alone, with h added to it, the probability of column j is a sigmoid of h, and those of
// the others share the rest in fixed proportions. So the loss is a constant and (w_j - v) times a
// sigmoid, with v the others' mean weight, and a difference quotient over 2 h is off by h^2 / 6
// times the third derivative: 1/8 of |w_j - v| at most, which is 2 W for weights up to W. The
// log-softmax's loss is linear in h but for -sum(w) log(sum(exp)), whose third derivative is the
// second one of the sigmoid, 1 / (6 sqrt(3)) < 1/8 at most. The quotient's rounding adds that of a
// sum of as many terms as columns, over h.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <rapidcheck.h>
#include <vector>

#include "common/reference/cross_entropy_row.h"
#include "common/reference/softmax_gradient.h"
#include "common/reference/softmax_row.h"

namespace {

using worklog::GradientSum;

constexpr double kH = 1e-4;
constexpr double kLargestWeight = 4.0;

double any_number(double largest) {
  return largest * static_cast<double>(*rc::gen::inRange(-1'000'000, 1'000'001)) / 1e6;
}

struct Row {
  std::vector<double> logits, weights;
};

Row any_row() {
  Row row;
  const auto cols = *rc::gen::inRange<std::size_t>(1, 40);
  for (std::size_t col = 0; col < cols; ++col) {
    row.logits.push_back(any_number(10.0));
    row.weights.push_back(any_number(kLargestWeight));
  }
  return row;
}

std::vector<double> softmax(const std::vector<double>& logits) {
  std::vector<double> y(logits.size());
  const worklog::SoftmaxRow row = worklog::softmax_row(logits, y);
  for (double& value : y)
    value /= row.d;
  return y;
}

std::vector<double> log_softmax(const std::vector<double>& logits) {
  std::vector<double> y(logits.size());
  const worklog::SoftmaxRow row = worklog::softmax_row(logits, y);
  for (std::size_t col = 0; col < y.size(); ++col)
    y[col] = logits[col] - row.m - std::log(row.d);
  return y;
}

// The loss's difference quotient by a logit.
template <typename Forward>
double quotient(const Row& row, std::size_t col, Forward forward) {
  const auto loss = [&](double change) {
    std::vector<double> logits = row.logits;
    logits[col] += change;
    const std::vector<double> y = forward(logits);
    double sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i)
      sum += row.weights[i] * y[i];
    return sum;
  };
  return (loss(kH) - loss(-kH)) / (2.0 * kH);
}

// Of losses with values up to `largest`.
double tolerance(const Row& row, double third_derivative, double largest) {
  const auto terms = static_cast<double>(row.logits.size());
  const double rounding = terms * largest * std::numeric_limits<double>::epsilon() / kH;
  return kH * kH / 6.0 * third_derivative + rounding;
}

}  // namespace

TEST_SUITE("gradients") {
  TEST_CASE("a softmax's gradient is the limit of the loss's difference quotient") {
    CHECK(rc::check([] {
      const Row row = any_row();
      const std::vector<double> y = softmax(row.logits);
      const GradientSum sum = worklog::softmax_gradient_sum(y, row.weights);
      const double allowed = tolerance(row, 2.0 * kLargestWeight / 8.0, kLargestWeight);
      for (std::size_t col = 0; col < y.size(); ++col) {
        const double dx = worklog::softmax_gradient(y[col], row.weights[col], sum);
        RC_ASSERT(std::abs(dx - quotient(row, col, softmax)) <= allowed);
      }
    }));
  }

  TEST_CASE("a log-softmax's gradient is the limit of the loss's difference quotient") {
    CHECK(rc::check([] {
      constexpr double kLargestLogarithm = 25.0;  // of logits up to 10, and fewer than e^5 columns
      const Row row = any_row();
      const std::vector<double> y = log_softmax(row.logits);
      const GradientSum sum = worklog::log_softmax_gradient_sum(row.weights);
      const double allowed =
          tolerance(row, sum.magnitude / 8.0, kLargestLogarithm * kLargestWeight);
      for (std::size_t col = 0; col < y.size(); ++col) {
        const double dx = worklog::log_softmax_gradient(y[col], row.weights[col], sum);
        RC_ASSERT(std::abs(dx - quotient(row, col, log_softmax)) <= allowed);
      }
    }));
  }

  // As a function of one logit, l = log(sum(exp)) has a sigmoid as its derivative. The third
  // derivative of l^2 is 6 l' l'' + 2 l l''', where l' is at most 1, l'' 1/4 and l''' less than
  // 1/8.
  TEST_CASE("a cross-entropy's gradient is the limit of its difference quotient") {
    CHECK(rc::check([] {
      constexpr double kLargest =
          15.0;  // log(sum(exp)) of logits up to 10, and fewer than e^5 columns
      const Row row = any_row();
      const auto cols = static_cast<std::int64_t>(row.logits.size());
      const auto label = *rc::gen::inRange<std::int64_t>(0, cols);
      const double smoothing = 0.001 * *rc::gen::inRange(0, 1001);
      const double z_loss = 0.001 * *rc::gen::inRange(0, 1001);
      const auto of = [&](double change, std::size_t col, std::vector<double>& exponentials) {
        std::vector<double> logits = row.logits;
        logits[col] += change;
        return worklog::cross_entropy_row(logits, label, smoothing, z_loss, exponentials);
      };
      const double allowed = tolerance(row, 0.125 + z_loss * (1.5 + kLargest / 4.0),
                                       2.0 * kLargest + z_loss * kLargest * kLargest + 10.0);
      std::vector<double> exponentials(row.logits.size()), others(row.logits.size());
      for (std::size_t col = 0; col < row.logits.size(); ++col) {
        const worklog::CrossEntropyRow at = of(0.0, col, exponentials);
        const bool is_label = static_cast<std::int64_t>(col) == label;
        const double dx = worklog::cross_entropy_gradient(at, exponentials[col], is_label, cols);
        const double difference = of(kH, col, others).loss - of(-kH, col, others).loss;
        RC_ASSERT(std::abs(dx - difference / (2.0 * kH)) <= allowed);
      }
    }));
  }

  // A number added to all logits changes nothing.
  TEST_CASE("the gradients of a row add up to 0") {
    CHECK(rc::check([] {
      const Row row = any_row();
      const std::vector<double> y = softmax(row.logits);
      const GradientSum sum = worklog::softmax_gradient_sum(y, row.weights);
      double total = 0.0;
      for (std::size_t col = 0; col < y.size(); ++col)
        total += worklog::softmax_gradient(y[col], row.weights[col], sum);
      const auto terms = static_cast<double>(y.size());
      RC_ASSERT(std::abs(total) <=
                4.0 * terms * kLargestWeight * std::numeric_limits<double>::epsilon());
    }));
  }
}
