// The reference, against values worked out by hand and the contract's special rows.
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "common/reference/softmax_row.h"

namespace {

using namespace worklog;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Columns = std::vector<std::int64_t>;

SoftmaxRow row_of(const std::vector<double>& logits) {
  std::vector<double> exponentials(logits.size());
  return softmax_row(logits, exponentials);
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("a row of logarithms sums to what they are the logarithms of") {
  const std::vector<double> logits = {std::log(2.0), std::log(4.0), -kInfinity, std::log(1.0)};
  std::vector<double> exponentials(logits.size());
  const SoftmaxRow row = softmax_row(logits, exponentials);
  CHECK_FALSE(row.is_nan);
  CHECK(row.m == std::log(4.0));
  CHECK(row.d == doctest::Approx(1.75).epsilon(1e-15));
  CHECK(exponentials[1] == 1.0);
  CHECK(exponentials[2] == 0.0);
}

TEST_CASE("NaN, +inf and nothing but -inf make a row NaN; one number beside -inf does not") {
  CHECK(row_of({1.0, kNan, 2.0}).is_nan);
  CHECK(row_of({kNan, 1.0}).is_nan);
  CHECK(row_of({1.0, kInfinity}).is_nan);
  CHECK(row_of({-kInfinity, -kInfinity}).is_nan);
  CHECK_FALSE(row_of({-kInfinity, -3.0e38}).is_nan);
}

TEST_CASE("the largest columns: descending, ties to the lowest, NaN above all") {
  CHECK(largest_columns(std::vector{1.0, 3.0, 2.0, 3.0}, 3) == Columns{1, 3, 2});
  CHECK(largest_columns(std::vector{0.0, -0.0, 0.0}, 3) == Columns{0, 1, 2});
  CHECK(largest_columns(std::vector{kInfinity, kNan, 1.0, kNan}, 4) == Columns{1, 3, 0, 2});
  CHECK(largest_columns(std::vector{-kInfinity, -kInfinity}, 2) == Columns{0, 1});
  CHECK(largest_columns(std::vector{5.0}, 0).empty());
}

TEST_SUITE_END();
