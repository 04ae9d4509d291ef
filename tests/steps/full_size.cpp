// Sizes that only a GPU runs in reasonable time: the shapes that the bench times, and beyond 32
// bits.
#include <algorithm>
#include <cstdint>
#include <span>

#include "bench/measurement.h"
#include "bench/shapes.h"
#include "tests/steps/contract.h"
#include "tests/steps/memory.h"

#ifndef WORKLOG_SIMT

using namespace worklog;
using namespace contract;

namespace {

constexpr std::int64_t kTwoTo31 = std::int64_t{1} << 31;

// What the host takes long to compare: a variant has fewer of these, or the test would take longer
// than all others together.
constexpr std::int64_t kManyElements = std::int64_t{1} << 26;

bool is_checked(const bench::Measurement& timed) {
  if (timed.subject != bench::Subject::kStep || timed.cache != Cache::kCold) return false;
  if (timed.step->variant.empty() || timed.rows * timed.cols < kManyElements) return true;
  return timed.dtype == DType::kFloat32 && timed.rows * timed.cols < 2 * kManyElements &&
         timed.k <= bench::kUsualK;
}

}  // namespace

TEST_SUITE("full_size") {
  TEST_CASE("the shapes that the bench times") {
    for (const bench::Measurement& timed : bench::all_measurements(all_steps())) {
      if (!is_checked(timed)) continue;
      check_if_it_fits(*timed.step, {timed.dtype, timed.rows, timed.cols, timed.k});
    }
  }
}

TEST_SUITE("huge") {
  // An offset in 32 bits goes wrong in the last rows.
  TEST_CASE("more than 2^31 elements") {
    constexpr std::int64_t kRowsOfMany = 65537;
    constexpr std::int64_t kColsOfMany = 32771;
    static_assert(kRowsOfMany * kColsOfMany > kTwoTo31);
    for (const Step& step : all_steps()) {
      if (step.takes_one_row()) continue;
      const int k = step.is_top_k() ? 5 : 0;
      check_if_it_fits(step, {DType::kFloat16, kRowsOfMany, kColsOfMany, k, Input::kEqual});
    }
  }

  // A grid has at most 2^31 - 1 blocks in x: such problems are launched in parts.
  TEST_CASE("more than 2^31 rows") {
    for (const Step& step : all_steps()) {
      if (!step.variant.empty() || step.takes_one_row()) continue;
      check_if_it_fits(step, {DType::kFloat16, kTwoTo31 + 5, 1, step.is_top_k() ? 1 : 0},
                       {.block_size = 32});
    }
  }

  // An entry of the list has 32 bits for its column.
  TEST_CASE("top-k of a row whose largest columns are beyond 2^31") {
    constexpr int kLargest = 5;
    const auto rising_end = [](std::int64_t, std::span<float> logits) {
      std::fill(logits.begin(), logits.end(), 0.0f);
      for (int i = 1; i <= kLargest; ++i)
        logits[logits.size() - static_cast<std::size_t>(i)] = static_cast<float>(i);
    };
    for (const Step& step : all_steps()) {
      // The fused variants share the step's list, and have nothing else that could overflow.
      const bool stores_row = step.operation() == Operation::kSoftmaxThenTopK;
      if (!step.is_top_k() || !(step.variant.empty() || stores_row)) continue;
      check_if_it_fits(step, {DType::kFloat16, 1, kTwoTo31 + 5, kLargest}, rising_end);
    }
  }

  TEST_CASE("a row of more than 2^24 columns") {
    for (const Step& step : all_steps()) {
      // One thread would take seconds for such a row, and no float can count to its end.
      if (step.info.summation == Summation::kSerial) continue;
      const int k = step.is_top_k() ? 5 : 0;
      const std::int64_t rows = std::min(std::int64_t{2}, step.info.max_rows);
      check_if_it_fits(step, {DType::kFloat32, rows, (std::int64_t{1} << 24) + 3, k});
    }
  }
}

#endif  // not WORKLOG_SIMT
