// Bounds: what they come to, that exact arithmetic in fp32 stays within, and that they are no wider
// than they are said to be.
#include "common/verify/error_bound.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "common/verify/check_row.h"
#include "common/verify/inputs.h"

namespace {

using namespace worklog;

constexpr int kThreads = 256;
const StepInfo kTree{};
const StepInfo kSerial{.summation = Summation::kSerial};

struct Row {
  std::vector<double> logits;
  std::vector<double> exponentials;
  SoftmaxRow softmax;
};

Row make_row(Input input, std::int64_t number, std::int64_t cols) {
  std::vector<float> logits(static_cast<std::size_t>(cols));
  make_rows(input, DType::kFloat32, number + 1, cols)(number, logits);
  Row row{{logits.begin(), logits.end()}, std::vector<double>(logits.size()), {}};
  row.softmax = softmax_row(row.logits, row.exponentials);
  return row;
}

// In ulp of fp32, of the row's maximum: t = 0.
double bound_of_maximum(const StepInfo& step, const Row& row) {
  const auto cols = static_cast<std::int64_t>(row.logits.size());
  const RowBound bound(error_model(step, DType::kFloat32, cols, kThreads), row.softmax,
                       row.exponentials);
  return bound.of(0.0, 1.0) / ulp(1.0 / row.softmax.d, format_of(DType::kFloat32));
}

// As steps 01 and 02 do it: one after the other, in fp32.
float serial_sum(const Row& row) {
  const auto m = static_cast<float>(row.softmax.m);
  float d = 0.0f;
  for (const double x : row.logits)
    d += std::exp(static_cast<float>(x) - m);
  return d;
}

double relative_error(float d, const Row& row) {
  return std::abs(static_cast<double>(d) / row.softmax.d - 1.0);
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("a tree: 5, 8, then 2 for each doubling, and next to nothing for a leader") {
  CHECK(bound_of_maximum(kTree, make_row(Input::kRandom, 0, 4096)) ==
        doctest::Approx(5.0).epsilon(0.03));
  CHECK(bound_of_maximum(kTree, make_row(Input::kRandom, 0, 100000)) ==
        doctest::Approx(8.0).epsilon(0.03));
  CHECK(bound_of_maximum(kTree, make_row(Input::kRandom, 0, 400000)) ==
        doctest::Approx(12.0).epsilon(0.03));
}

TEST_CASE("a tree with a leader: 3 roots of the additions on its way, more") {
  const double additions = 4096 / kThreads + 8;
  const double expected = 5.0 + 3.0 * std::sqrt(additions);
  const double bound = bound_of_maximum(kTree, make_row(Input::kDominant, 0, 4096));
  CHECK(bound > expected - 0.1);
  CHECK(bound <
        expected + 0.6);  // the last rounding may be to beyond 1, where ulps are twice as large
}

TEST_CASE("|x - m| counts once for each ulp") {
  const Row row = make_row(Input::kRandom, 0, 1000);
  const RowBound bound(error_model(kTree, DType::kFloat32, 1000, kThreads), row.softmax,
                       row.exponentials);
  const double e = std::exp(-5.0);
  const double p = e / row.softmax.d;
  CHECK(bound.of_difference(-5.0, p) == 5.0 * ulp(p, format_of(DType::kFloat32)));
  CHECK(bound.of(-std::numeric_limits<double>::infinity(), 0.0) == 0.0);
}

TEST_CASE("serial sums of random logits: about the width's root, not the width") {
  const double at_4096 = bound_of_maximum(kSerial, make_row(Input::kRandom, 0, 4096));
  const double at_65536 = bound_of_maximum(kSerial, make_row(Input::kRandom, 0, 65536));
  CHECK(at_4096 > 70.0);
  CHECK(at_4096 < 200.0);
  CHECK(at_65536 / at_4096 > 2.0);
  CHECK(at_65536 / at_4096 < 8.0);
}

TEST_CASE("equal logits add up exactly, and have no wider bound") {
  const Row row = make_row(Input::kEqual, 0, 4096);
  CHECK(relative_error(serial_sum(row), row) == 0.0);
  CHECK(bound_of_maximum(kSerial, row) < 5.0);
}

TEST_CASE("a real serial sum in fp32 stays within its bound") {
  for (const Input input : {Input::kRandom, Input::kWide, Input::kTies, Input::kDominant}) {
    for (std::int64_t number = 0; number < 20; ++number) {
      for (const std::int64_t cols : {100, 4096, 50000}) {
        const Row row = make_row(input, number, cols);
        const double allowed = bound_of_maximum(kSerial, row) *
                               ulp(1.0 / row.softmax.d, format_of(DType::kFloat32)) * row.softmax.d;
        REQUIRE(relative_error(serial_sum(row), row) <= allowed);
      }
    }
  }
}

TEST_CASE("equal terms that round alike have the bound that they need") {
  // One 0 and 50000 times the same e = 0.3 + : each addition rounds the same way.
  Row row{std::vector<double>(50001, static_cast<double>(-1.2f)), {}, {}};
  row.logits[0] = 0.0;
  row.exponentials.resize(row.logits.size());
  row.softmax = softmax_row(row.logits, row.exponentials);
  const double error = relative_error(serial_sum(row), row) / 0x1p-24;
  const double allowed = bound_of_maximum(kSerial, row);
  CHECK(error > 500.0);  // far more than independent errors: 4 sqrt(50000 / 3) = 516 at the most
  CHECK(error < 2.0 * allowed);
}

TEST_CASE("lost terms are in the bound") {
  Row row{std::vector<double>(100000, static_cast<double>(-17.5f)), {}, {}};
  row.logits[0] = 0.0;
  row.exponentials.resize(row.logits.size());
  row.softmax = softmax_row(row.logits, row.exponentials);
  CHECK(serial_sum(row) == 1.0f);  // all of them are lost
  const double lost = row.softmax.d - 1.0;
  const double allowed =
      bound_of_maximum(kSerial, row) * ulp(1.0 / row.softmax.d, format_of(DType::kFloat32));
  CHECK(allowed >= lost / row.softmax.d);
  CHECK(allowed < 1.1 * lost);
}

TEST_CASE("storage types: one rounding, two more where exponentials are stored") {
  const Row row = make_row(Input::kRandom, 0, 1000);
  const auto in_ulp = [&](const StepInfo& step) {
    const RowBound bound(error_model(step, DType::kFloat16, 1000, kThreads), row.softmax,
                         row.exponentials);
    const double e = std::exp(-1.0);
    return bound.of(-1.0, e) / ulp(e / row.softmax.d, format_of(DType::kFloat16));
  };
  CHECK(in_ulp(kTree) > 0.5);
  CHECK(in_ulp(kTree) < 0.51);
  CHECK(in_ulp({.stores_exponentials = true}) < 2.6);
  CHECK(in_ulp({.summation = Summation::kSerial, .storage_arithmetic = true}) > 3.0);
}

TEST_SUITE_END();
