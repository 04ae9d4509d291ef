// How columns are split, and what is found wrong with results.
#include <cmath>
#include <doctest/doctest.h>
#include <numeric>

#include "common/ranks/check_slices.h"
#include "common/ranks/rank_case.h"

TEST_SUITE_BEGIN("ranks");

using namespace worklog;

namespace {

// A step as its registration is, without kernels.
const RankStep& some_step() {
  static const RankStep step = {
      "21_many_gpus", "", {.ulp_of_exchange = [](const SliceShape&) { return 1.0; }}, {}};
  return step;
}

RankCase case_of(Split split, SliceResult result) {
  RankCase a_case;
  a_case.step = &some_step();
  a_case.rows = 6;
  a_case.cols = 50;
  a_case.split = split;
  a_case.result = result;
  return a_case;
}

// Results as the ranks should have them, made from the reference in double precision.
std::vector<SliceOutput<float>> right_outputs(const RankCase& a_case, int ranks) {
  std::vector<SliceOutput<float>> outputs(static_cast<std::size_t>(ranks));
  const std::vector<std::int64_t> columns = columns_of(a_case.split, a_case.cols, ranks);
  const std::vector<std::int64_t> labels = labels_of(a_case);
  std::vector<float> x(static_cast<std::size_t>(a_case.cols));
  for (std::int64_t row = 0; row < a_case.rows; ++row) {
    a_case.logits()(row, x);
    const double m = *std::max_element(x.begin(), x.end());
    const double d = std::accumulate(
        x.begin(), x.end(), 0.0, [m](double sum, float each) { return sum + std::exp(each - m); });
    const std::int64_t label = labels.empty() ? -1 : labels[static_cast<std::size_t>(row)];
    const bool has_label = label >= 0 && label < a_case.cols;
    std::int64_t col = 0;
    for (std::size_t rank = 0; rank < outputs.size(); ++rank) {
      for (std::int64_t i = 0; i < columns[rank]; ++i, ++col) {
        const double p = std::exp(static_cast<double>(x[static_cast<std::size_t>(col)]) - m) / d;
        const bool is_nan = !labels.empty() && !has_label;
        outputs[rank].results.push_back(is_nan ? std::nanf("")
                                               : static_cast<float>(col == label ? p - 1.0 : p));
      }
      if (labels.empty()) continue;
      const double of_label = has_label ? x[static_cast<std::size_t>(label)] : std::nan("");
      outputs[rank].losses.push_back(static_cast<float>(std::log(d) + m - of_label));
      outputs[rank].log_sum_exps.push_back(static_cast<float>(std::log(d) + m));
    }
  }
  return outputs;
}

}  // namespace

TEST_CASE("slices add up to the columns") {
  for (const Split split : kAllSplits) {
    for (const int ranks : {1, 2, 3, 4, 8, 33}) {
      for (const std::int64_t cols : {0, 1, 2, 7, 64, 1000}) {
        const std::vector<std::int64_t> columns = columns_of(split, cols, ranks);
        CAPTURE(name_of(split));
        CAPTURE(ranks);
        CHECK(std::ssize(columns) == ranks);
        CHECK(std::accumulate(columns.begin(), columns.end(), std::int64_t{0}) == cols);
        CHECK(*std::min_element(columns.begin(), columns.end()) >= 0);
      }
    }
  }
  CHECK(columns_of(Split::kOne, 10, 3).back() == 1);
  CHECK(columns_of(Split::kNone, 10, 3).front() == 0);
  CHECK(columns_of(Split::kAll, 10, 3) == std::vector<std::int64_t>{0, 0, 10});
  CHECK(columns_of(Split::kUneven, 80, 4) == std::vector<std::int64_t>{10, 10, 20, 40});
}

TEST_CASE("names of splits and results lead back") {
  for (const Split split : kAllSplits)
    CHECK(split_from_name(name_of(split)) == split);
  CHECK(result_from_name("cross_entropy") == SliceResult::kCrossEntropy);
  CHECK_THROWS_WITH_AS(split_from_name("odd"),
                       "split 'odd': must be one of even, uneven, one, none, all",
                       std::invalid_argument);
}

TEST_CASE("right results of all ranks are found right, and one wrong element is found") {
  for (const Split split : kAllSplits) {
    const RankCase a_case = case_of(split, SliceResult::kSoftmax);
    std::vector<SliceOutput<float>> outputs = right_outputs(a_case, 3);
    CHECK(check_slices(a_case, outputs).wrong == 0);
    float& last = outputs.back().results.back();
    last *= 1.000002f;
    const Comparison found = check_slices(a_case, outputs);
    CHECK(found.wrong == 1);
    CHECK(found.failed_row == a_case.rows - 1);
    CHECK(found.failure.find("column 49") != std::string::npos);
  }
}

TEST_CASE("a loss that differs from rank to rank is wrong") {
  const RankCase a_case = case_of(Split::kEven, SliceResult::kCrossEntropy);
  std::vector<SliceOutput<float>> outputs = right_outputs(a_case, 3);
  CHECK(check_slices(a_case, outputs).failure == "");
  float& loss = outputs[2].losses[0];
  loss = std::nextafter(loss, 100.0f);
  const Comparison found = check_slices(a_case, outputs);
  CHECK(found.wrong == 1);
  CHECK(found.failure == "row 0: rank 2 has another loss than rank 0");
}

TEST_CASE("outputs lead back from their bytes") {
  const RankCase a_case = case_of(Split::kUneven, SliceResult::kCrossEntropy);
  const std::vector<SliceOutput<float>> outputs = right_outputs(a_case, 3);
  const SliceOutput<float> read =
      output_of<float>(outputs[1].bytes(), a_case, columns_of(a_case.split, a_case.cols, 3)[1]);
  CHECK(read.bytes() == outputs[1].bytes());
  CHECK(read.losses.size() == 6);
}

TEST_SUITE_END();
