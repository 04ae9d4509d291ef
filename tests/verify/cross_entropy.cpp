// Cross-entropy's reference against values worked out by hand, and what the comparison refuses.
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "common/reference/cross_entropy_row.h"
#include "common/verify/check_cross_entropy.h"
#include "common/verify/poison.h"

namespace {

using namespace worklog;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kRow = 7;

// Probabilities of 1/8, 2/8 and 5/8.
const std::vector<double> kLogits = {0.0, std::log(2.0), std::log(5.0)};
const std::vector<float> kRight = {0.125f, -0.75f, 0.625f};  // of label 1

CrossEntropyRow row_of(const std::vector<double>& logits, std::int64_t label,
                       double label_smoothing = 0.0, double z_loss = 0.0) {
  std::vector<double> exponentials(logits.size());
  return cross_entropy_row(logits, label, label_smoothing, z_loss, exponentials);
}

Comparison compare(std::int64_t label, float loss, float log_sum_exp,
                   const std::vector<float>& gradients, double scale = 1.0,
                   const std::vector<double>& logits = kLogits) {
  const GradientModel model = cross_entropy_model(StepInfo{}, DType::kFloat32, 3, 256);
  CrossEntropyChecker checker(model, {}, scale);
  checker.check<float>(kRow, logits, label,
                       {.loss = loss, .log_sum_exp = log_sum_exp, .gradients = gradients});
  return checker.found();
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("a cross-entropy by hand: plain, smoothed, and with a z-loss") {
  CHECK(row_of(kLogits, 1).loss == doctest::Approx(std::log(4.0)).epsilon(1e-15));
  CHECK(row_of(kLogits, 1).log_sum_exp == doctest::Approx(std::log(8.0)).epsilon(1e-15));
  const double mean = std::log(10.0) / 3.0;
  CHECK(row_of(kLogits, 1, 0.25).loss ==
        doctest::Approx(0.75 * std::log(4.0) + 0.25 * (std::log(8.0) - mean)).epsilon(1e-14));
  CHECK(row_of(kLogits, 1, 0.0, 2.0).loss ==
        doctest::Approx(std::log(4.0) + 2.0 * std::log(8.0) * std::log(8.0)).epsilon(1e-14));
  CHECK(std::isnan(row_of(kLogits, -1).loss));
  CHECK(row_of({0.0, -kInfinity}, 1).loss == kInfinity);
  CHECK(row_of({0.0, -kInfinity}, 0).loss == 0.0);
  CHECK(row_of({0.0, -kInfinity}, 0, 0.1).loss == kInfinity);
  CHECK(std::isnan(row_of({-kInfinity, -kInfinity}, 0).loss));
}

TEST_CASE("right results pass, and wrong ones are told") {
  const float loss = std::log(4.0f), lse = std::log(8.0f);
  CHECK(compare(1, loss, lse, kRight).wrong == 0);
  CHECK(compare(1, loss, lse, kRight).checked == 5);
  CHECK(compare(1, loss, lse, {0.0625f, -0.375f, 0.3125f}, 0.5).wrong == 0);
  CHECK(compare(1, 1.3864f, lse, kRight)
            .failure.starts_with(
                "row 7, label 1: got 1.38639998, expected 1.38629436: the error is "));
  CHECK(compare(1, loss, 2.08f, kRight).failure.starts_with("row 7, log_sum_exp of row 7: got "));
  CHECK(compare(1, loss, lse, {0.125f, 0.25f, 0.625f}).wrong == 1);
  CHECK(compare(1, loss, lse, {0.125f, kNan, 0.625f}).wrong == 1);
  CHECK(compare(1, loss, lse, {0.125f, poison<float>(), 0.625f}).failure.find("never written") !=
        std::string::npos);
}

TEST_CASE("an error of a gradient counts against its roundings: some dozens for three columns") {
  const float loss = std::log(4.0f), lse = std::log(8.0f);
  CHECK(compare(1, loss, lse, {0.125f * 1.000002f, -0.75f, 0.625f}).wrong == 0);
  CHECK(compare(1, loss, lse, {0.125f * 1.000005f, -0.75f, 0.625f}).wrong == 1);
  CHECK(compare(1, loss + 2e-6f, lse, kRight).wrong == 0);
  CHECK(compare(1, loss + 4e-6f, lse, kRight).wrong == 1);
}

TEST_CASE("in fp32 a gradient may be subnormal, and must not be flushed to 0") {
  const std::vector<double> logits = {0.0, -80.0, -100.0};
  const std::vector<float> right = {0.0f, std::exp(-80.0f), std::exp(-100.0f)};
  CHECK(right[2] < std::numeric_limits<float>::min());
  CHECK(compare(0, 0.0f, 0.0f, right, 1.0, logits).wrong == 0);
  CHECK(compare(0, 0.0f, 0.0f, {0.0f, right[1], 0.0f}, 1.0, logits).wrong == 1);
}

TEST_CASE("a label that is no column gives NaN, and one that is ignored gives 0") {
  const float lse = std::log(8.0f);
  CHECK(compare(3, kNan, lse, {kNan, kNan, kNan}).wrong == 0);
  CHECK(compare(-1, kNan, lse, {kNan, kNan, kNan}).wrong == 0);
  CHECK(compare(3, 0.0f, lse, kRight).wrong == 4);
  CHECK(compare(-100, 0.0f, 0.0f, {0.0f, 0.0f, 0.0f}).wrong == 0);
  CHECK(compare(-100, 0.0f, lse, {0.0f, 0.0f, 0.0f}).wrong == 1);
  CHECK(compare(-100, 0.0f, 0.0f, {0.0f, 1e-30f, 0.0f}).wrong == 1);
}

TEST_SUITE_END();
