// Sizes that only a GPU runs in reasonable time: the shapes that the bench times, and beyond 32
// bits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "bench/measurement.h"
#include "bench/shapes.h"
#include "common/cuda/device_buffer.h"
#include "common/step/run.h"
#include "tests/steps/contract.h"
#include "tests/steps/memory.h"

#ifndef SIMT_EXECUTOR

using namespace worklog;
using namespace contract;

namespace {

constexpr std::int64_t kTwoTo31 = std::int64_t{1} << 31;
constexpr std::int64_t kTwoTo32 = std::int64_t{1} << 32;

// What the host takes long to compare: a variant has fewer of these, or the test would take longer
// than all others together.
constexpr std::int64_t kManyElements = std::int64_t{1} << 26;

// What the host compares in a minute at most.
constexpr std::int64_t kMostElements = std::int64_t{1} << 29;

bool is_checked(const bench::Measurement& timed) {
  if (timed.subject != bench::Subject::kStep || timed.cache != Cache::kCold) return false;
  if (timed.rows * timed.cols > kMostElements) return false;
  if (timed.step->variant.empty() || timed.rows * timed.cols < kManyElements) return true;
  return timed.dtype == DType::kFloat32 && timed.rows * timed.cols < 2 * kManyElements &&
         timed.k <= bench::kUsualK;
}

// One row that the host looks at in parts: the reference of 2^32 columns would take 100 GiB of it.
// The type is bf16, in which 1 / 2^32 is a number.
class LongRow {
 public:
  using T = __nv_bfloat16;

  LongRow(const Step& step, std::int64_t cols, int k)
      : step_(step),
        cols_(cols),
        k_(k),
        logits_(cols),
        columns_(step.keeps_columns() ? cols : 0),
        values_(k),
        indices_(k),
        scratch_(scratch_bytes(step, 1, cols, DType::kBFloat16)) {}

  // The logits are `period`, over and over.
  void fill(const std::vector<float>& period) {
    std::vector<T> part;
    while (std::ssize(part) < kPart)
      part.insert(part.end(), period.begin(), period.end());
    for (std::int64_t first = 0; first < cols_; first += std::ssize(part))
      copy(logits_.data() + first, part.data(), std::min(std::ssize(part), cols_ - first));
  }

  void set(std::int64_t col, float logit) {
    const T value = logit;
    copy(logits_.data() + col, &value, 1);
  }

  void run_step() {
    run(step_,
        AnyProblem<T>{.logits = logits_.data(),
                      .columns = columns_.data(),
                      .values = values_.data(),
                      .indices = indices_.data(),
                      .rows = 1,
                      .cols = cols_,
                      .k = k_,
                      .scratch = Scratch(scratch_.data(), scratch_.size())},
        nullptr);
    check(cudaDeviceSynchronize(), step_.label());
  }

  // The first column whose result is more than a hundredth off what it must be, `period` over and
  // over; -1 if there is none.
  std::int64_t first_wrong(const std::vector<double>& period) const {
    std::vector<T> part(static_cast<std::size_t>(kPart));
    for (std::int64_t first = 0; first < cols_; first += kPart) {
      const std::int64_t count = std::min(kPart, cols_ - first);
      copy(part.data(), columns_.data() + first, count);
      for (std::int64_t at = 0; at < count; ++at) {
        const auto got = static_cast<double>(static_cast<float>(part[at]));
        const double expected = period[(first + at) % std::ssize(period)];
        if (got == expected || std::abs(got - expected) <= 0.01 * std::abs(expected)) continue;
        return first + at;
      }
    }
    return -1;
  }

  std::vector<float> values() const { return values_.download(); }
  std::vector<std::int64_t> indices() const { return indices_.download(); }

 private:
  static constexpr std::int64_t kPart = std::int64_t{1} << 26;

  static void copy(T* to, const T* from, std::int64_t count) {
    check(cudaMemcpy(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDefault),
          "copying a part of a row");
  }

  const Step& step_;
  std::int64_t cols_;
  int k_;
  DeviceBuffer<T> logits_;
  DeviceBuffer<T> columns_;
  DeviceBuffer<float> values_;
  DeviceBuffer<std::int64_t> indices_;
  DeviceBuffer<std::byte> scratch_;
};

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
  // An offset in 32 bits, with a sign or without, goes wrong in the last rows: blockIdx.x has none.
  // Variants take half as long.
  TEST_CASE("more than 2^32 elements") {
    constexpr std::int64_t kRowsOfMany = 65537;
    constexpr std::int64_t kColsOfMany = 65539;
    constexpr std::int64_t kColsOfVariants = 32771;
    static_assert(kRowsOfMany * kColsOfMany > kTwoTo32);
    static_assert(kRowsOfMany * kColsOfVariants > kTwoTo31);
    for (const Step& step : all_steps()) {
      if (step.info.max_rows < kRowsOfMany || step.takes<Attention>()) continue;
      const std::int64_t wanted = step.variant.empty() ? kColsOfMany : kColsOfVariants;
      const std::int64_t cols = std::min(wanted, step.info.most_cols(sizeof(__half), 0));
      const std::int64_t rows = kRowsOfMany * wanted / cols + 1;
      const int k = step.is_top_k() ? 5 : 0;
      check_if_it_fits(step, {DType::kFloat16, rows, cols, k, Input::kEqual});
    }
  }

  // The arrays of an attention are of rows or of columns.
  TEST_CASE("more than 2^32 elements of queries") {
    for (const Step& step : all_steps()) {
      if (!step.takes<Attention>()) continue;
      check_if_it_fits(step, {DType::kFloat16, kTwoTo32 / kHeadDim + 5, 3});
    }
  }

  // 2^32 is no multiple of the period: a column in 32 bits is told by its value.
  TEST_CASE("one row of more than 2^32 columns") {
    constexpr float kMasked = -std::numeric_limits<float>::infinity();
    const std::vector<float> logits = {0.0f,    0.0f,    kMasked, 0.0f,    kMasked, kMasked,
                                       kMasked, kMasked, 0.0f,    kMasked, kMasked};
    constexpr std::int64_t kCols = kTwoTo32 + 5;
    double d = 0.0;
    for (std::int64_t col = 0; col < kCols % std::ssize(logits); ++col)
      d += std::exp(static_cast<double>(logits[static_cast<std::size_t>(col)]));
    for (const float logit : logits)
      d += std::exp(static_cast<double>(logit)) * static_cast<double>(kCols / std::ssize(logits));
    for (const Step& step : all_steps()) {
      // One thread would take minutes for such a row.
      if (!step.variant.empty() || !step.keeps_columns()) continue;
      if (step.info.summation == Summation::kSerial) continue;
      if (step.info.most_cols(sizeof(__nv_bfloat16), 0) < kCols) continue;  // it refuses such a row
      CAPTURE(step.label());
      if (!fits(step, {DType::kBFloat16, 1, kCols})) continue;
      std::vector<double> expected;
      for (const float logit : logits) {
        const double y = static_cast<double>(logit) - std::log(d);
        expected.push_back(step.takes<LogSoftmax>() ? y : std::exp(y));
      }
      LongRow row(step, kCols, 0);
      row.fill(logits);
      row.run_step();
      CHECK(row.first_wrong(expected) == -1);
    }
  }

  // A grid has at most 2^31 - 1 blocks in x: such problems are launched in parts.
  TEST_CASE("more than 2^31 rows") {
    for (const Step& step : all_steps()) {
      if (!step.variant.empty() || step.info.max_rows < kTwoTo31 + 5) continue;
      check_if_it_fits(step, {DType::kFloat16, kTwoTo31 + 5, 1, step.is_top_k() ? 1 : 0},
                       {.block_size = 32});
    }
  }

  // An entry of the list has 32 bits for its column: these are the last that they can tell.
  TEST_CASE("top-k of a row whose largest columns are the last of 2^32") {
    constexpr int kLargest = 5;
    for (const Step& step : all_steps()) {
      // The fused variants share the step's list, and have nothing else that could overflow.
      const bool stores_row = step.operation() == Operation::kSoftmaxThenTopK;
      if (!step.is_top_k() || !(step.variant.empty() || stores_row)) continue;
      if (step.info.most_cols(sizeof(__nv_bfloat16), 0) < kTwoTo32) continue;  // it refuses the row
      CAPTURE(step.label());
      if (!fits(step, {DType::kBFloat16, 1, kTwoTo32, kLargest})) continue;
      LongRow row(step, kTwoTo32, kLargest);
      row.fill({0.0f});
      double d = static_cast<double>(kTwoTo32 - kLargest);
      for (int i = 1; i <= kLargest; ++i) {
        row.set(kTwoTo32 - i, static_cast<float>(i));
        d += std::exp(static_cast<double>(i));
      }
      row.run_step();
      const std::vector<float> values = row.values();
      const std::vector<std::int64_t> indices = row.indices();
      for (int rank = 0; rank < kLargest; ++rank) {
        const int logit = kLargest - rank;
        CHECK(indices[rank] == kTwoTo32 - logit);
        CHECK(values[rank] == doctest::Approx(std::exp(logit) / d).epsilon(0.01));
      }
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

#endif  // not SIMT_EXECUTOR
