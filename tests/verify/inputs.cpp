// Inputs are what their names say, and the same every time.
#include "common/verify/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

namespace {

using namespace worklog;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kRows = 36;

std::vector<float> row_of(Input input, std::int64_t row, std::int64_t cols,
                          DType dtype = DType::kFloat32, std::uint64_t seed = 0) {
  std::vector<float> logits(static_cast<std::size_t>(cols));
  make_rows(input, dtype, kRows, cols, seed)(row, logits);
  return logits;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("every input has a name that leads back to it") {
  std::set<std::string_view> names;
  for (const Input input : kAllInputs) {
    CHECK(input_from_name(name_of(input)) == input);
    names.insert(name_of(input));
  }
  CHECK(names.size() == std::size(kAllInputs));
  CHECK_THROWS_WITH_AS(input_from_name("randon"),
                       doctest::Contains("input 'randon': must be one of random, wide"),
                       std::invalid_argument);
}

TEST_CASE("a row is the same every time, and others for another seed or number") {
  for (const Input input : {Input::kRandom, Input::kWide, Input::kMasked, Input::kTies}) {
    CHECK(same(row_of(input, 5, 100), row_of(input, 5, 100)));
    CHECK_FALSE(same(row_of(input, 5, 100), row_of(input, 6, 100)));
    CHECK_FALSE(same(row_of(input, 5, 100), row_of(input, 5, 100, DType::kFloat32, 1)));
  }
}

TEST_CASE("random logits have mean 0 and deviation 1") {
  constexpr std::int64_t kCols = 100000;
  const std::vector<float> row = row_of(Input::kRandom, 0, kCols);
  double sum = 0.0;
  double squares = 0.0;
  for (const float x : row) {
    sum += static_cast<double>(x);
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  CHECK(std::abs(sum / kCols) < 0.02);  // six standard errors
  CHECK(squares / kCols == doctest::Approx(1.0).epsilon(0.02));
}

TEST_CASE("every other random row has outliers of both signs") {
  const std::vector<float> row = row_of(Input::kRandom, 1, 100000);
  CHECK(*std::max_element(row.begin(), row.end()) > 8.0f);
  CHECK(*std::min_element(row.begin(), row.end()) < -8.0f);
}

TEST_CASE("a dominant logit leads by more than any rounding can hide") {
  std::vector<float> row = row_of(Input::kDominant, 2, 1000);
  std::sort(row.rbegin(), row.rend());
  CHECK(row[0] - row[1] > 25.0f);
}

TEST_CASE("largest logits are finite in their type, of both signs, and near its end") {
  for (const DType dtype : kAllDTypes) {
    const std::vector<float> row = row_of(Input::kLargest, 0, 1000, dtype);
    const auto check = [&]<typename T>(T) {
      for (const float x : row)
        REQUIRE(std::isfinite(static_cast<float>(static_cast<T>(x))));
    };
    with_type(dtype, check);
    const float top = *std::max_element(row.begin(), row.end());
    CHECK(*std::min_element(row.begin(), row.end()) == -top);
    CHECK(top >= 65504.0f);
  }
}

TEST_CASE("a masked row keeps at least one number") {
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (const std::int64_t cols : {1, 2, 7, 100}) {
      const std::vector<float> logits = row_of(Input::kMasked, row, cols);
      CHECK(std::count_if(logits.begin(), logits.end(), [](float x) { return std::isfinite(x); }) >=
            1);
    }
  }
  const std::vector<float> logits = row_of(Input::kMasked, 0, 100);
  CHECK(std::count(logits.begin(), logits.end(), -kInfinity) > 10);
}

TEST_CASE("subnormal logits survive in their type") {
  for (const DType dtype : kAllDTypes) {
    const std::vector<float> row = row_of(Input::kSubnormal, 0, 100, dtype);
    const auto distinct = [&]<typename T>(T) {
      std::set<float> values;
      for (const float x : row)
        values.insert(static_cast<float>(static_cast<T>(x)));
      return values.size();
    };
    CHECK(with_type(dtype, distinct) > 90);
  }
}

TEST_CASE("the special rows are all there") {
  int nan_rows = 0;
  int infinite_rows = 0;
  int empty_rows = 0;
  for (std::int64_t row = 0; row < kRows; ++row) {
    const std::vector<float> logits = row_of(Input::kSpecial, row, 9);
    nan_rows += std::any_of(logits.begin(), logits.end(), [](float x) { return std::isnan(x); });
    infinite_rows += std::count(logits.begin(), logits.end(), kInfinity) > 0;
    empty_rows += std::count(logits.begin(), logits.end(), -kInfinity) == 9;
  }
  CHECK(nan_rows >= 6);
  CHECK(infinite_rows >= 6);
  CHECK(empty_rows >= 3);
}

TEST_CASE("recorded inputs have one shape") {
  CHECK_THROWS_WITH_AS(make_rows(Input::kAttention, DType::kFloat16, 1, 129),
                       "input 'attention' of 1 x 129: must be at most 6144 rows of 128",
                       std::invalid_argument);
  CHECK_THROWS_AS(make_rows(Input::kSearch, DType::kFloat16, 53, 4584), std::invalid_argument);
  CHECK(row_of(Input::kSearch, 3, 4584).size() == 4584);
}

TEST_SUITE_END();
