// The backward passes' reference against values worked out by hand, and what the comparison of
// gradients refuses: NaN, what was never written, and errors beyond the bound.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "common/reference/softmax_gradient.h"
#include "common/verify/check_gradients.h"
#include "common/verify/gradient_bound.h"
#include "common/verify/inputs.h"
#include "common/verify/poison.h"

namespace {

using namespace worklog;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kRow = 7;
constexpr int kThreads = 256;
constexpr double kU = 0x1p-24;
const StepInfo kPlain{};
const StepInfo kExact{.exact_sum = true};

// The sum of y dy is 5.
const std::vector<double> kY = {0.5, 0.25, 0.125, 0.125};
const std::vector<double> kDy = {8.0, -4.0, 16.0, 0.0};
const std::vector<float> kRight = {1.5f, -2.25f, 1.375f, -0.625f};

GradientModel model(const StepInfo& step = kExact, DType output = DType::kFloat32,
                    std::int64_t cols = 4) {
  return gradient_model(step, output, cols, kThreads);
}

template <typename T>
Comparison compare(const std::vector<double>& y, const std::vector<double>& dy,
                   const std::vector<T>& got, const StepInfo& step = kExact) {
  GradientChecker checker(model(step, dtype_of<T>()));
  checker.check_softmax<T>(kRow, y, dy, got);
  return checker.found();
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("gradients by hand: y (dy - sum(y dy)), and dy - exp(y) sum(dy)") {
  const GradientSum sum = softmax_gradient_sum(kY, kDy);
  CHECK(sum.value == 5.0);
  CHECK(sum.magnitude == 7.0);
  CHECK(softmax_gradient(0.5, 8.0, sum) == 1.5);
  const GradientSum of_logarithms = log_softmax_gradient_sum(kDy);
  CHECK(of_logarithms.value == 20.0);
  CHECK(log_softmax_gradient(std::log(0.25), -4.0, of_logarithms) ==
        doctest::Approx(-4.0 - 0.25 * 20.0).epsilon(1e-15));
}

TEST_CASE("a NaN or an infinity in either array makes a row NaN, and a sum beyond fp32 does") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double special : {std::nan(""), infinity, -infinity}) {
    CHECK(softmax_gradient_sum(std::vector{1.0, 0.0}, std::vector{1.0, special}).is_nan);
    CHECK(softmax_gradient_sum(std::vector{1.0, special}, std::vector{1.0, 0.0}).is_nan);
    CHECK(log_softmax_gradient_sum(std::vector{1.0, special}).is_nan);
  }
  CHECK(log_softmax_gradient_sum(std::vector{3e38, 3e38}).is_nan);
  const GradientSum cancelled = log_softmax_gradient_sum(std::vector{3e38, 3e38, -3e38});
  CHECK_FALSE(cancelled.is_nan);
  CHECK(cancelled.may_be_nan);
}

TEST_CASE("right gradients pass, and an error is told with the sum of the row") {
  CHECK(compare<float>(kY, kDy, kRight).wrong == 0);
  CHECK(compare<float>(kY, kDy, kRight).checked == 4);
  std::vector<float> got = kRight;
  got[1] = -2.0f;  // as if the sum were 4
  const Comparison found = compare<float>(kY, kDy, got);
  CHECK(found.wrong == 1);
  CAPTURE(found.failure);
  CHECK(found.failure.starts_with(
      "row 7, column 1: got -2, expected -2.25 (the row's sum is 5): the error is "));
}

TEST_CASE("NaN never passes for a gradient, nor a number for NaN, nor what was never written") {
  for (std::size_t col = 0; col < kRight.size(); ++col) {
    std::vector<float> got = kRight;
    got[col] = kNan;
    CHECK(compare<float>(kY, kDy, got).wrong == 1);
    got[col] = poison<float>();
    CHECK(compare<float>(kY, kDy, got).failure.find("never written") != std::string::npos);
  }
  std::vector<double> dy = kDy;
  dy[2] = std::nan("");
  CHECK(compare<float>(kY, dy, std::vector<float>(4, kNan)).wrong == 0);
  CHECK(compare<float>(kY, dy, {kNan, 0.0f, kNan, kNan}).wrong == 1);
}

TEST_CASE("an infinite gradient passes only where fp32 cannot hold what leads to it") {
  const std::vector<double> y = {0.9, 0.1};
  const std::vector<double> dy = {3e38, -3e38};  // their sum is 2.4e38, and -5.4e38 is beyond fp32
  CHECK(compare<float>(y, dy, {5.4e37f, -5.4e37f}, kPlain).wrong == 0);
  CHECK(compare<float>(y, dy, {5.4e37f, -kInfinity}, kPlain).wrong == 0);
  CHECK(compare<float>(y, dy, {5.4e37f, kInfinity}, kPlain).wrong == 1);
  CHECK(compare<float>(y, dy, {kInfinity, -5.4e37f}, kPlain).wrong == 1);
}

TEST_CASE("an exact sum has a bound of 2.5 ulp, and the storage types half of one") {
  const auto cols = static_cast<std::int64_t>(4096);
  GradientSum sum{.value = 0.25, .magnitude = 1.0};
  const auto in_ulp = [&](const StepInfo& step, DType dtype) {
    const GradientBound bound(model(step, dtype, cols), sum);
    const double dx = softmax_gradient(0.5, 1.999, sum);
    return bound.of_softmax(0.5, 1.999) / ulp(dx, format_of(dtype));
  };
  CHECK(in_ulp(kExact, DType::kFloat32) > 1.5);
  CHECK(in_ulp(kExact, DType::kFloat32) < 2.5);
  CHECK(in_ulp(kExact, DType::kFloat16) < 0.51);
  CHECK(in_ulp(kExact, DType::kBFloat16) < 0.502);
  CHECK(in_ulp(kPlain, DType::kFloat32) > 2.5);
}

TEST_CASE("a plain sum is off by an ulp of the magnitudes for each addition at most") {
  const GradientSum sum{.value = 0.0, .magnitude = 1.0};
  const auto of_sum = [&](const StepInfo& step, std::int64_t cols) {
    const GradientBound bound(model(step, DType::kFloat32, cols), sum);
    return bound.of_softmax(1.0, 0.0) / kU;  // all that is left is the sum's error
  };
  CHECK(of_sum(kPlain, 4096) == doctest::Approx(4096.0 / kThreads + 49.0).epsilon(0.02));
  CHECK(of_sum({.summation = Summation::kSerial}, 4096) == doctest::Approx(4097.0).epsilon(0.02));
  CHECK(of_sum(kExact, 4096) < 0.001);
}

// The bound must hold for any order, and be no wider than it says.
TEST_CASE("a real sum in fp32 stays within its bound, and an exact one far below") {
  for (const Input input : {Input::kRandom, Input::kEqual, Input::kTies}) {
    for (std::int64_t number = 0; number < 20; ++number) {
      constexpr std::size_t kCols = 4096;
      std::vector<float> y(kCols);
      std::vector<float> dy(kCols);
      softmax_of(make_rows(input, DType::kFloat32, number + 1, kCols))(number, y);
      make_gradients(input, DType::kFloat32)(number, dy);
      float serial = 0.0f;
      for (std::size_t col = 0; col < kCols; ++col)
        serial = std::fma(y[col], dy[col], serial);
      const std::vector<double> exact_y(y.begin(), y.end());
      const std::vector<double> exact_dy(dy.begin(), dy.end());
      const GradientSum sum = softmax_gradient_sum(exact_y, exact_dy);
      const GradientBound bound(model({.summation = Summation::kSerial}, DType::kFloat32, kCols),
                                sum);
      REQUIRE(std::abs(serial - sum.value) <= bound.of_softmax(1.0, sum.value));
    }
  }
}

TEST_CASE("gradients are of every kind that their input says, and finite but for special rows") {
  constexpr std::int64_t kRows = 72;
  for (const Input input : kAllInputs) {
    for (const DType dtype : kAllDTypes) {
      const RowSource gradients = make_gradients(input, dtype);
      std::int64_t special = 0;
      for (std::int64_t row = 0; row < kRows; ++row) {
        std::vector<float> dy(33);
        gradients(row, dy);
        const auto is_special = [](float value) { return !std::isfinite(value); };
        special += std::any_of(dy.begin(), dy.end(), is_special);
        const bool all_equal = std::equal(dy.begin() + 1, dy.end(), dy.begin());
        CHECK((input != Input::kEqual || all_equal));
      }
      CAPTURE(std::string(name_of(input)));
      CHECK(special == (input == Input::kSpecial ? kRows / 2 : 0));
    }
  }
}

TEST_SUITE_END();
