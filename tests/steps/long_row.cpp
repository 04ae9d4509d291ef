// One row whose parts many blocks share: around the ends of their shares, and as long as memory
// allows.
#include <cstdint>
#include <span>

#include "tests/steps/contract.h"

using namespace worklog;
using namespace contract;

namespace {

constexpr std::int64_t kTwoTo24 = std::int64_t{1} << 24;

#ifndef WORKLOG_SIMT

// Values that repeat every 11 columns, the maximum among them: cheap to make for very long rows.
void repeat(std::int64_t, std::span<float> logits) {
  for (std::size_t col = 0; col < logits.size(); ++col) {
    logits[col] = static_cast<float>(7 * col % 11) * 0.5f;
  }
}

#endif

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
          if (block_size == 1024 && dtype != DType::kFloat32) continue;  // a minute on the executor
          check_around(step, dtype, block_size * block_size, threads);
        }
      }
      constexpr std::int64_t kAllBlocks = std::int64_t{32} * 32 * 1024;
      check_around(step, DType::kFloat32, kAllBlocks, 32);
      check_verified(step, {DType::kFloat32, 1, 2 * kAllBlocks + 1, 0, Input::kRandom},
                     {.block_size = 32});
    }
  }

  // From 2^24 on no fp32 sum of ones grows if one thread makes it.
  TEST_CASE("one row of 2^24 columns, and one beside") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.takes_one_row()) continue;
      check_verified(step, {DType::kFloat32, 1, kTwoTo24 - 1, 0, Input::kRandom});
      check_verified(step, {DType::kFloat32, 1, kTwoTo24 + 1, 0, Input::kEqual});
    }
  }
}

#ifndef WORKLOG_SIMT

TEST_SUITE("huge") {
  TEST_CASE("one row of more than 2^31 columns") {
    constexpr std::int64_t kMany = (std::int64_t{1} << 31) + 5;
    for (const Step& step : all_steps()) {
      if (!step.takes_one_row()) continue;
      check_verified(step, {DType::kFloat32, 1, kMany}, repeat);
    }
  }
}

#endif
