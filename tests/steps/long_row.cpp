// One row whose parts many blocks share: around the ends of their shares, and as long as memory
// allows.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tests/steps/contract.h"
#include "tests/steps/memory.h"

using namespace worklog;
using namespace contract;

namespace {

constexpr std::int64_t kTwoTo24 = std::int64_t{1} << 24;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// 0 and -inf in a pattern that no power of two repeats: its exponentials are 1 and 0, so that all
// sums are exact at any length, and a column of another place shows.
void repeat(std::int64_t, std::span<float> logits) {
  for (std::size_t col = 0; col < logits.size(); ++col) {
    logits[col] = 7 * col % 11 < 4 ? 0.0f : -kInfinity;
  }
}

void check_around(const Step& step, DType dtype, std::int64_t cols, int block_size) {
  for (const std::int64_t beside : {-1, 0, 1}) {
    check_verified(step, {dtype, 1, cols + beside, 0, Input::kRandom}, {.block_size = block_size});
  }
}

}  // namespace

TEST_SUITE("shapes") {
  // A block's share is a column a thread in some steps and 32 in others. Its square is where a
  // second stage of a reduction is full.
  TEST_CASE("one row: around a block's share, its square, and as much as all blocks take at once") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.takes_one_row()) continue;
      for (const DType dtype : kAllDTypes) {
        for (const std::int64_t block_size : {32, 256, 1024}) {
          const int threads = static_cast<int>(block_size);
          check_around(step, dtype, block_size, threads);
          check_around(step, dtype, 32 * block_size, threads);
        }
        check_around(step, dtype, std::int64_t{32} * 32, 32);
      }
      check_around(step, DType::kFloat32, std::int64_t{256} * 256, 256);
      // Step 11 reduces with 256 blocks at most, of 32 columns per thread.
      constexpr std::int64_t kShare = std::int64_t{32} * 32;
      check_around(step, DType::kFloat32, 256 * kShare, 32);
      check_around(step, DType::kFloat32, kShare * kShare, 32);
      check_around(step, DType::kFloat16, std::int64_t{1024} * 1024, 1024);
    }
  }

  TEST_CASE("one row of 2^24 columns and one more") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      // This takes seconds on the executor, of a variant too many, and full_size has it on a GPU.
      if (!step.takes_one_row() || !step.variant.empty() || !wants_every_case()) continue;
      check_verified(step, {DType::kFloat32, 1, kTwoTo24 + 1}, repeat);
    }
  }

  // What one block leaves for the others. With 32 threads five blocks share these columns, or 164.
  TEST_CASE("one row with NaN, +inf and -inf in every block's share") {
    const CountingOff counting_off;
    constexpr std::int64_t kShare = 1024;
    constexpr std::int64_t kCols = 5 * kShare + 7;
    const auto row_with = [](std::int64_t at, float special) {
      return [=](std::int64_t, std::span<float> logits) {
        for (std::size_t col = 0; col < logits.size(); ++col)
          logits[col] = static_cast<float>(7 * col % 11) * 0.5f;
        logits[static_cast<std::size_t>(at)] = special;
      };
    };
    for (const Step& step : all_steps()) {
      if (!step.takes_one_row()) continue;
      for (const std::int64_t at : {std::int64_t{0}, kShare - 1, kShare, 3 * kShare + 500,
                                    5 * kShare - 1, 5 * kShare, kCols - 1}) {
        for (const float special : {kNan, kInfinity, -kInfinity, 1000.0f}) {
          check_verified(step, {DType::kFloat32, 1, kCols}, row_with(at, special),
                         {.block_size = 32, .logits_shift = at % 4});
        }
      }
    }
  }

  TEST_CASE("one row in which all shares but one, or all, are -inf") {
    const CountingOff counting_off;
    constexpr std::int64_t kShare = 1024;
    for (const Step& step : all_steps()) {
      if (!step.takes_one_row()) continue;
      for (const std::int64_t share : {0, 1, 4, 5}) {  // of five: none has the last
        check_verified(step, {DType::kFloat32, 1, 5 * kShare},
                       [share](std::int64_t, std::span<float> logits) {
                         for (std::size_t col = 0; col < logits.size(); ++col) {
                           const bool is_in = static_cast<std::int64_t>(col) / kShare == share;
                           logits[col] = is_in ? static_cast<float>(col % 5) : -kInfinity;
                         }
                       },
                       {.block_size = 32});
      }
    }
  }
}

TEST_SUITE("shapes") {
  // In blocks of 32 threads, of which step 17 has 132 for a row, the registers hold 1024 columns of
  // a block's share, and shared memory 57,856. The logits rise, so that what comes last in a share
  // has a new maximum again and again.
  TEST_CASE("one row of which parts wait in shared memory, and parts are read again") {
    const CountingOff counting_off;
    constexpr std::int64_t kSomeWait = 200003;
    constexpr std::int64_t kSomeAreLeft = 8000003;
    const auto rise = [](std::int64_t, std::span<float> logits) {
      constexpr std::size_t kPeriod = 60000;
      for (std::size_t col = 0; col < logits.size(); ++col)
        logits[col] = static_cast<float>(col % kPeriod) * 1e-3f;
    };
    for (const Step& step : all_steps()) {
      if (!step.info.several_blocks_a_row) continue;
      for (const DType dtype : kAllDTypes) {
        if (is_left_out(step, dtype, kSomeWait)) continue;
        check_verified(step, {dtype, 1, kSomeWait, some_k(step, kSomeWait), Input::kRandom},
                       {.block_size = 32});
      }
      const std::int64_t most = step.variant.empty() ? kSomeAreLeft : kSomeWait;
      check_verified(step, {DType::kFloat32, 1, most, some_k(step, most)}, rise,
                     {.block_size = 32});
    }
  }

  // A thread of step 16's messages holds 64 or 128 logits where few blocks run: rows that end in
  // the second half of these, at a whole group and within one.
  TEST_CASE("one row that ends within what the threads of a few blocks hold") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.info.several_blocks_a_row) continue;
      for (const std::int64_t cols : {33000, 40009, 65536}) {
        for (const DType dtype : kAllDTypes) {
          if (is_left_out(step, dtype, cols)) continue;
          check_verified(step, {dtype, 1, cols, some_k(step, cols), Input::kRandom},
                         {.block_size = 32});
        }
      }
    }
  }
}

#ifndef SIMT_EXECUTOR

TEST_SUITE("full_size") {
  TEST_CASE("one row around 2^24 columns, in all types") {
    for (const Step& step : all_steps()) {
      if (!step.takes_one_row()) continue;
      for (const DType dtype : kAllDTypes)
        check_around(step, dtype, kTwoTo24, 0);
    }
  }
}

TEST_SUITE("huge") {
  // From 2^24 on no fp32 sum of ones grows if one thread makes it.
  TEST_CASE("one row of 2^26 equal columns") {
    for (const Step& step : all_steps()) {
      if (!step.takes_one_row()) continue;
      check_if_it_fits(step, {DType::kFloat32, 1, 4 * kTwoTo24, 0, Input::kEqual});
    }
  }

  TEST_CASE("one row of more than 2^31 columns") {
    constexpr std::int64_t kMany = (std::int64_t{1} << 31) + 5;
    for (const Step& step : all_steps()) {
      if (!step.takes_one_row()) continue;
      check_if_it_fits(step, {DType::kFloat32, 1, kMany}, repeat);
    }
  }
}

#endif
