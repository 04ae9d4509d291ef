// What top-k promises beyond its values: K of them, in order, ties to the lowest column.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "common/step/problem_buffers.h"
#include "common/step/run.h"
#include "tests/steps/contract.h"

using namespace worklog;
using namespace contract;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Place {
  std::int64_t col, cols;
  int k;

  // 0 to cols - 1 in an order that looks random.
  std::int64_t shuffled() const { return col * 1103 % cols; }  // 1103 is prime
};

// The logits of rows, by their columns. Where few values come often they are far apart, so that the
// sum of exponentials is exact: many equal terms that are not 1 all round the same way.
constexpr float (*kAdversaries[])(const Place&) = {
    [](const Place& p) { return static_cast<float>(p.col) / 64.0f; },
    [](const Place& p) { return static_cast<float>(-p.col) / 64.0f; },
    [](const Place& p) { return p.shuffled() % 2 == 0 ? 100.0f : 200.0f; },
    [](const Place& p) { return p.shuffled() < p.k ? 200.0f : 100.0f; },
    [](const Place& p) { return p.shuffled() < p.k - 1 ? 200.0f : 100.0f; },
    // Neighbours in fp32, of which some are equal in fp16.
    [](const Place& p) { return 1.0f + std::ldexp(static_cast<float>(p.shuffled()), -23); },
    [](const Place& p) { return -1.0f - std::ldexp(static_cast<float>(p.shuffled()), -23); },
    [](const Place& p) { return p.shuffled() < p.k ? 64.0f * (p.col % 9) : -kInfinity; },
    [](const Place& p) { return p.shuffled() < p.k - 1 ? 0.5f : -kInfinity; },
    // The k-th is one of a thousand.
    [](const Place& p) {
      const std::int64_t place = p.shuffled();
      return place < p.k / 2 ? 300.0f : place < p.k / 2 + 1000 ? 200.0f : 100.0f;
    },
    // More NaNs than are asked for, and fewer, beside +inf.
    [](const Place& p) { return p.shuffled() < p.k + 7 ? kNan : static_cast<float>(p.col % 5); },
    [](const Place& p) { return p.shuffled() < p.k / 2 ? kNan : kInfinity; },
    // The best lie side by side, or all over the row beside others that are almost as good.
    [](const Place& p) {
      return p.col < p.cols / 2 || p.col >= p.cols / 2 + p.k ? 100.0f : 200.0f;
    },
    [](const Place& p) { return p.col % 4 == 0 ? 0x1p15f : 0x1p15f - 0x1p5f; },
    [](const Place& p) { return p.col % 16 == 3 ? static_cast<float>(p.shuffled() % 64) : -80.0f; },
    // Zeros of either sign are equal.
    [](const Place& p) { return p.shuffled() % 3 == 0 ? -0.0f : 0.0f; },
    [](const Place& p) { return p.shuffled() % 2 == 0 ? 64.0f : -64.0f; },
    [](const Place&) { return -kInfinity; },
};

// The columns that the step lists for one row.
std::vector<std::int64_t> columns_of(const Step& step, const std::vector<float>& row, int k) {
  const auto cols = static_cast<std::int64_t>(row.size());
  auto buffers = problem_buffers<float>(step, 1, cols, k);
  buffers.logits.upload(row);
  run(step, buffers.problem(), nullptr);
  return buffers.indices.download();
}

}  // namespace

TEST_SUITE("top_k") {
  // The order in which candidates come decides how often a list changes.
  TEST_CASE("rows that rise, that fall, and that repeat") {
    const CountingOff counting_off;
    constexpr std::int64_t kCols = 1500;
    for (const Step& step : all_steps()) {
      if (!step.is_top_k()) continue;
      for (const int k : {1, 5, 31, 32, 33, 64, 65, 100, 128}) {
        const Case a_case{DType::kFloat32, 4, kCols, k, Input::kTies};
        check_verified(step, a_case, [](std::int64_t row, std::span<float> logits) {
          for (std::size_t col = 0; col < logits.size(); ++col) {
            const auto place = static_cast<float>(col);
            constexpr auto kLast = static_cast<float>(kCols - 1);
            const float rows[] = {place, kLast - place, static_cast<float>(col % 7),
                                  static_cast<float>(col / 100)};
            logits[col] = rows[row] / 100.0f;
          }
        });
      }
    }
  }

  // What a list, a sort or a selection by leading bits likes least. 200 rows and more of a step
  // whose k goes as far.
  TEST_CASE("adversarial rows: sorted, of few values, of neighbouring numbers, masked and tied") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.is_top_k()) continue;
      for (const int k : {1, 5, 64, 128, 500, 2048}) {
        const bool is_of_short_rows = step.info.most_cols(sizeof(float), 0) < 2048;
        if (k > step.info.max_k || (!step.variant.empty() && k != 64 && !is_of_short_rows))
          continue;
        for (const std::int64_t cols : {60, 511, 2048, 5003}) {
          if (k > cols || (cols < 2048 && !is_of_short_rows)) continue;
          const auto rows = static_cast<std::int64_t>(std::size(kAdversaries));
          const DType dtype = cols % 2 == 0 ? DType::kFloat16 : DType::kFloat32;
          for (const int block_size : {32, 128}) {
            check_verified(step, {dtype, rows, cols, k},
                           [&](std::int64_t row, std::span<float> logits) {
                             for (std::int64_t col = 0; col < cols; ++col)
                               logits[col] = kAdversaries[row]({col, cols, k});
                           },
                           {.block_size = block_size});
          }
        }
      }
    }
  }

  // Newcomers wait until there are 32 of them, and a list has 32 places at least.
  TEST_CASE("rows about as long as a warp or two, all columns in the list or all but a few") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.is_top_k()) continue;
      for (const int cols : {31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129}) {
        for (const int fewer : {0, 1, 2, 31}) {
          const int k = std::min(cols - fewer, step.info.max_k);
          if (k < 1) continue;
          const Case a_case{DType::kFloat32, 4, cols, k, Input::kTies};
          check_verified(step, a_case, [cols](std::int64_t row, std::span<float> logits) {
            for (int col = 0; col < cols; ++col) {
              const int rows[] = {col, -col, 0, col % 3};
              logits[col] = static_cast<float>(rows[row]) / 8.0f;
            }
          });
        }
      }
    }
  }

  TEST_CASE("every block size with every length of list") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.is_top_k()) continue;
      for (const int block_size : block_sizes(step)) {
        for (const int k : {1, 32, 33, 96, 128, 700}) {
          if (k > step.info.max_k) continue;
          if ((block_size / 32 + k) % 2 == 0 && block_size > 64) continue;
          const std::int64_t cols =
              std::min<std::int64_t>(700, step.info.most_cols(sizeof(float), 0));
          check_verified(step, {DType::kFloat32, 3, cols, k, Input::kTies},
                         {.block_size = block_size});
        }
      }
    }
  }

  // What each thread knows as its largest bounds no k-th where these are fewer than k.
  TEST_CASE("more of the largest than a row has threads") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.is_top_k()) continue;
      for (const int k : {300, 2048}) {
        if (k > step.info.max_k) continue;
        check_verified(step, {DType::kFloat32, 2, 20003, k, Input::kRandom}, {.block_size = 32});
      }
    }
  }

  // Step 18 compares up to 256 sectors of 8 columns, or as many listed columns, each with all. What
  // a list had no place for would be missed where it is the best.
  TEST_CASE("as many equal columns as are compared each with all, and a few more and fewer") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.is_top_k()) continue;
      for (const std::int64_t cols : {2047, 2048, 2049, 2055, 2056, 2057, 2064}) {
        const Case a_case{DType::kFloat32, 3, cols, 64, Input::kEqual};
        const auto fill = [](std::int64_t row, std::span<float> logits) {
          std::fill(logits.begin(), logits.end(), 100.0f);
          if (row == 1) logits.front() = 200.0f;
          if (row == 2) logits.back() = 200.0f;
        };
        check_verified(step, a_case, fill, {.block_size = 128});
      }
    }
  }

  // Worked out by hand, so that not everything rests on the reference. By the value of a logit, a
  // softmax in between or not, except where it makes different logits equal.
  TEST_CASE("the columns of a few rows that are known") {
    for (const Step& step : all_steps()) {
      if (!step.is_top_k()) continue;
      CAPTURE(step.label());
      using Columns = std::vector<std::int64_t>;
      CHECK(columns_of(step, {1, 3, 2, 3, 0}, 4) == Columns{1, 3, 2, 0});
      CHECK(columns_of(step, {2, 2, 2}, 3) == Columns{0, 1, 2});
      CHECK(columns_of(step, {-kInfinity, 5, -kInfinity}, 3) == Columns{1, 0, 2});
      CHECK(columns_of(step, {-0.0f, 0.0f, -0.0f}, 3) == Columns{0, 1, 2});
      CHECK(columns_of(step, {7}, 1) == Columns{0});
      // The whole row is NaN after a softmax, and then all columns tie.
      const bool ranks_logits = step.operation() != Operation::kSoftmaxThenTopK;
      CHECK(columns_of(step, {1, kNan, 9, kInfinity}, 3) ==
            (ranks_logits ? Columns{1, 3, 2} : Columns{0, 1, 2}));
      // The sign of a NaN means nothing.
      CHECK(columns_of(step, {1, -kNan, 9, kNan, -kNan}, 4) ==
            (ranks_logits ? Columns{1, 3, 4, 2} : Columns{0, 1, 2, 3}));
      CHECK(columns_of(step, {-kInfinity, -kInfinity}, 2) == Columns{0, 1});
    }
  }
}
