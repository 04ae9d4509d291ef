// Attention's reference against values worked out by hand, its inputs, and what the comparison
// refuses.
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "common/reference/attention_row.h"
#include "common/step/problem.h"
#include "common/verify/attention_inputs.h"
#include "common/verify/check_attention.h"
#include "common/verify/poison.h"

namespace {

using namespace worklog;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kRow = 7;

// Rows of a head, of which the first elements are given and the others 0.
std::vector<double> heads(const std::vector<std::vector<double>>& beginnings) {
  std::vector<double> elements;
  for (std::vector<double> row : beginnings) {
    row.resize(kHeadDim, 0.0);
    elements.insert(elements.end(), row.begin(), row.end());
  }
  return elements;
}

// Scores of 0 and log 3: weights of 1/4 and 3/4.
std::vector<double> query() {
  return heads({{8.0}});
}
KeysAndValues shared() {
  return {.keys = heads({{0.0}, {std::log(3.0)}}), .values = heads({{4.0, -8.0}, {0.0, 8.0}})};
}

// The output begins with these two elements.
Comparison compare(float first, float second, const KeysAndValues& given = shared(),
                   const StepInfo& step = {}) {
  AttentionChecker checker(step, DType::kFloat32, given);
  std::vector<float> got(kHeadDim, 0.0f);
  got[0] = first;
  got[1] = second;
  checker.check<float>(kRow, query(), got);
  return checker.found();
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("an attention by hand") {
  const KeysAndValues given = shared();
  std::vector<double> scores(2), exponentials(2), output(kHeadDim);
  attention_scores(query(), given.keys, scores);
  CHECK(scores == std::vector<double>{0.0, std::log(3.0)});
  const SoftmaxRow softmax = softmax_row(scores, exponentials);
  attention_output(softmax, exponentials, given.values, output);
  CHECK(output[0] == doctest::Approx(1.0).epsilon(1e-15));
  CHECK(output[1] == doctest::Approx(4.0).epsilon(1e-15));
  CHECK(output[2] == 0.0);
  attention_output({.is_nan = true}, exponentials, given.values, output);
  CHECK(std::isnan(output[63]));
}

TEST_CASE("right outputs pass, and wrong ones are told") {
  CHECK(compare(1.0f, 4.0f).wrong == 0);
  CHECK(compare(1.0f, 4.0f).checked == kHeadDim);
  CHECK(compare(1.0f, 4.00001f).wrong == 0);
  CHECK(compare(1.0f, 4.001f).wrong == 1);
  CHECK(compare(1.0f, 4.001f)
            .failure.starts_with("row 7, element 1: got 4.00099993, expected 4: the error is "));
  CHECK(compare(kNan, 4.0f).wrong == 1);
  CHECK(compare(poison<float>(), 4.0f).failure.find("never written") != std::string::npos);
  CHECK(compare(poison<float>(Poison::kScratch), 4.0f).wrong == 1);
}

// Of 4096 columns with equal weights, 0.02 of a value's size is what a column brings.
TEST_CASE("an output that lacks one column of 4096 is told") {
  constexpr std::size_t kCols = 4096;
  KeysAndValues given{std::vector<double>(kCols * kHeadDim, 0.0),
                      std::vector<double>(kCols * kHeadDim, 0.0)};
  for (std::size_t col = 0; col < kCols; ++col)
    given.values[col * kHeadDim] = col % 2 == 0 ? 1.0 : 0.5;
  CHECK(compare(0.75f, 0.0f, given).wrong == 0);
  const double lacks_one = (0.75 * kCols - 1.0) / (kCols - 1.0);
  CHECK(compare(static_cast<float>(lacks_one), 0.0f, given).wrong == 1);
}

TEST_CASE("a row that is NaN, a value that is no number, and sums beyond fp32") {
  KeysAndValues given = shared();
  given.keys[0] = kInfinity;
  CHECK(compare(1.0f, 4.0f, given).wrong == kHeadDim);
  given = shared();
  given.values[1] = kInfinity;
  for (const float none :
       {kNan, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()})
    CHECK(compare(1.0f, none, given).wrong == 0);
  CHECK(compare(1.0f, 4.0f, given).wrong == 1);
  given = shared();
  given.values[0] = given.values[kHeadDim] = 3e38;  // times d, 4 / 3
  CHECK(compare(kNan, 4.0f, given).wrong == 0);
  CHECK(compare(poison<float>(), 4.0f, given).wrong == 1);
  CHECK(compare(kNan, 4.001f, given).wrong == 1);
}

TEST_CASE("the scores of the first query are the logits that were given") {
  constexpr std::int64_t kCols = 18;
  for (const Input input : {Input::kRandom, Input::kLargest, Input::kSubnormal, Input::kTies}) {
    const RowSource rows = make_rows(input, DType::kFloat32, 1, kCols);
    const AttentionInputs inputs = attention_inputs(rows, input, DType::kFloat32, kCols);
    std::vector<float> logits(kCols), element(kHeadDim);
    rows(0, logits);
    inputs.queries(0, element);
    const std::vector<double> first(element.begin(), element.end());
    std::vector<double> keys;
    for (std::int64_t col = 0; col < kCols; ++col) {
      inputs.keys(col, element);
      keys.insert(keys.end(), element.begin(), element.end());
    }
    std::vector<double> scores(kCols);
    attention_scores(first, keys, scores);
    CHECK(scores == std::vector<double>(logits.begin(), logits.end()));
    inputs.queries(1, element);
    CHECK(element[0] == 8.0f);
    CHECK(element[1] != 0.0f);
  }
}

TEST_SUITE_END();
