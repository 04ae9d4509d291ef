// How a step launches: in the blocks and on the stream that it is told to.
#include "bench/launches.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/step/run.h"
#include "tests/steps/contract.h"

using namespace worklog;
using namespace contract;

namespace {

constexpr std::int64_t kManyRows = 64;

// A block or a thread a row; 0 for one long row, which steps share out as they see fit.
unsigned blocks_for(const Step& step, int block_size) {
  if (step.takes_one_row()) return 0;
  if (step.info.summation == Summation::kTree) return static_cast<unsigned>(kManyRows);
  return static_cast<unsigned>((kManyRows + block_size - 1) / block_size);
}

std::vector<bench::ProfiledLaunch> launches_of(const Step& step, int block_size) {
  const std::int64_t rows = std::min(kManyRows, step.info.max_rows);
  constexpr std::int64_t kCols = 300;
  constexpr int kK = 3;
  const DeviceBuffer<float> logits(
      std::vector<float>(static_cast<std::size_t>(rows * kCols), 1.0f));
  const DeviceBuffer<float> gradients(
      std::vector<float>(static_cast<std::size_t>(rows * kCols), 1.0f));
  const DeviceBuffer<std::int64_t> labels(std::vector<std::int64_t>(kManyRows, 1));
  const DeviceBuffer<float> heads(
      std::vector<float>(static_cast<std::size_t>(std::max(rows, kCols) * kHeadDim), 1.0f));
  DeviceBuffer<float> columns(rows * kCols), values(rows * kK);
  DeviceBuffer<std::int64_t> indices(rows * kK);
  DeviceBuffer<std::byte> scratch(scratch_bytes(step, rows, kCols, DType::kFloat32));
  return bench::run_and_list([&](cudaStream_t stream) {
    run(step,
        AnyProblem<float>{.logits = logits.data(),
                          .results = logits.data(),
                          .gradients = gradients.data(),
                          .labels = labels.data(),
                          .queries = heads.data(),
                          .keys = heads.data(),
                          .key_values = heads.data(),
                          .columns = columns.data(),
                          .values = values.data(),
                          .indices = indices.data(),
                          .rows = rows,
                          .cols = kCols,
                          .k = kK,
                          .block_size = block_size,
                          .scratch = Scratch(scratch.data(), scratch.size())},
        stream);
  });
}

// A top-k that follows a softmax, as its last launch, has the block size that suits a top-k.
bool is_own_size(const Step& step, const bench::ProfiledLaunch& launch,
                 const std::vector<bench::ProfiledLaunch>& launches) {
  return step.operation() == Operation::kSoftmaxThenTopK && &launch == &launches.back();
}

}  // namespace

TEST_SUITE("launches") {
  TEST_CASE("every launch has the blocks that are asked for, none too many, and is on its stream") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      CAPTURE(step.label());
      for (const int block_size : {32, 96, 256, 512, 1024}) {
        CAPTURE(block_size);
        const std::vector<bench::ProfiledLaunch> launches = launches_of(step, block_size);
        CHECK_FALSE(launches.empty());
        for (const bench::ProfiledLaunch& launch : launches) {
          CAPTURE(launch.kernel);
          CHECK(launch.on_stream);
          if (!is_own_size(step, launch, launches)) {
            CHECK(launch.block[0] == static_cast<unsigned>(block_size));
          }
          CHECK(launch.block[1] * launch.block[2] == 1);
          const unsigned blocks = blocks_for(step, block_size);
          const auto rows =
              static_cast<unsigned>(std::min<std::int64_t>(kManyRows, step.info.max_rows));
          if (step.info.several_rows_a_block) {  // a row has a warp at most
            const auto threads = static_cast<unsigned>(block_size);
            CHECK(launch.grid[0] <= (32 * rows + threads - 1) / threads);
          } else if (step.info.several_blocks_a_row) {
            CHECK(launch.grid[0] % rows == 0);
            CHECK(launch.grid[0] <= 8 * rows);  // a variant has eight of them for any row
          } else if (blocks > 0) {
            CHECK(launch.grid[0] == blocks);
          }
        }
      }
    }
  }
}
