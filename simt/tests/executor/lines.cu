// Counts by source line, and the counters that need a whole launch: bytes touched at least once,
// lanes of a request.

#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <map>

#include "simt/executor/counters.h"
#include "simt/tests/support/device_array.h"

namespace {

using simt::Counters;

constexpr int kThreads = 64;
constexpr int kBlocks = 6;

__device__ float twice(float x) {
  return 2.0f * x;
}

constexpr int kLoadLine = __LINE__ + 9;
constexpr int kSharedStoreLine = kLoadLine + 1;
constexpr int kBarrierLine = kLoadLine + 2;
constexpr int kSharedLoadLine = kLoadLine + 3;
constexpr int kShuffleLine = kLoadLine + 4;
constexpr int kStoreLine = kLoadLine + 5;
constexpr int kAtomicLine = kLoadLine + 6;
__global__ void every_kind(const float* x, float* y, int* count) {
  __shared__ float values[2 * kThreads];
  const float mine = x[blockIdx.x * kThreads + threadIdx.x];
  values[2 * threadIdx.x] = mine;
  __syncthreads();
  float other = values[2 * (threadIdx.x ^ 1)];
  other += __shfl_xor_sync(0xffffffff, other, 1);
  if (threadIdx.x < 40) y[blockIdx.x * kThreads + threadIdx.x] = twice(other);
  atomicAdd(count, 1);
}

// All threads read the same 100 floats, and write one.
__global__ void read_again(const float* x, float* y) {
  float sum = 0.0f;
  for (int i = 0; i < 100; ++i) {
    sum += x[i];
  }
  y[threadIdx.x] = sum;
}

constexpr int kFirstOfTwoLines = __LINE__ + 2;
__global__ void read_twice(const float* x, float* y) {
  const float once = x[threadIdx.x];
  const float again = x[threadIdx.x ^ 1];
  y[threadIdx.x] = once - again;
}

__global__ void stores_and_rereads(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[kThreads + threadIdx.x] = 2.0f * y[threadIdx.x ^ 1];
}

// Of three rows it stores to the first and adds to the second.
__global__ void changes_two_rows(float* x) {
  const float sum = x[threadIdx.x] + x[kThreads + threadIdx.x] + x[2 * kThreads + threadIdx.x];
  x[threadIdx.x] = sum;
  atomicAdd(&x[kThreads + threadIdx.x], sum);
}

std::map<int, Counters> by_line(const std::vector<simt::LineCounters>& lines) {
  std::map<int, Counters> map;
  for (const simt::LineCounters& line : lines) {
    CHECK(line.file == "lines.cu");
    map[line.line] = line.counters;
  }
  return map;
}

std::map<int, Counters> lines_of_every_kind() {
  const auto x = zeros<float>(kBlocks * kThreads);
  const auto y = zeros<float>(kBlocks * kThreads);
  const auto count = zeros<int>(1);
  every_kind<<<kBlocks, kThreads>>>(x.get(), y.get(), count.get());
  return by_line(simt::last_launch_by_line());
}

}  // namespace

TEST_SUITE_BEGIN("lines");

TEST_CASE("each access and operation counts for the line that makes it") {
  auto lines = lines_of_every_kind();
  constexpr int kWarps = kBlocks * kThreads / 32;
  CHECK(lines[kLoadLine].global_loads.requests == kWarps);
  CHECK(lines[kLoadLine].global_loads.sectors == 4 * kWarps);
  CHECK(lines[kLoadLine].global_loads.elements == kBlocks * kThreads);
  CHECK(lines[kSharedStoreLine].shared_stores.requests == kWarps);
  CHECK(lines[kSharedStoreLine].shared_stores.bank_conflicts == kWarps);
  CHECK(lines[kBarrierLine].block_barriers == kBlocks);
  CHECK(lines[kSharedLoadLine].shared_loads.wavefronts == 2 * kWarps);
  CHECK(lines[kShuffleLine].shuffles == kWarps);
  CHECK(lines[kStoreLine].global_stores.requests == kWarps);
  CHECK(lines[kAtomicLine].global_atomics.requests == kWarps);
  CHECK(lines[kLoadLine].global_stores.requests == 0);
}

TEST_CASE("lines add up to the launch") {
  const auto lines = lines_of_every_kind();
  Counters sum;
  for (const auto& [line, counters] : lines)
    sum += counters;
  const Counters launch = simt::last_launch();
  sum.launches = launch.launches;
  sum.blocks = launch.blocks;
  sum.threads = launch.threads;
  sum.global_read_only_unique_bytes = launch.global_read_only_unique_bytes;  // no line knows it
  CHECK(simt::named(sum) == simt::named(launch));
}

TEST_CASE("lines are the same for any number of workers, and add up over launches") {
  const auto of_all = lines_of_every_kind();
  simt::set_workers(1);
  const auto of_one = lines_of_every_kind();
  simt::set_workers(2);
  REQUIRE(of_all.size() == of_one.size());
  for (const auto& [line, counters] : of_all) {
    CAPTURE(line);
    CHECK(simt::named(counters) == simt::named(of_one.at(line)));
  }

  simt::reset_counters();
  CHECK(simt::counters_by_line().empty());
  lines_of_every_kind();
  lines_of_every_kind();
  const auto of_both = by_line(simt::counters_by_line());
  CHECK(of_both.at(kLoadLine).global_loads.requests ==
        2 * of_all.at(kLoadLine).global_loads.requests);
}

TEST_CASE("lanes that take part, and requests that lack some") {
  auto lines = lines_of_every_kind();
  CHECK(lines[kLoadLine].global_loads.lanes == kBlocks * kThreads);
  CHECK(lines[kLoadLine].global_loads.partial_requests == 0);
  CHECK(lines[kStoreLine].global_stores.lanes == kBlocks * 40);
  CHECK(lines[kStoreLine].global_stores.partial_requests == kBlocks);  // of the second warp
}

TEST_CASE("bytes that are touched again count once") {
  const auto x = zeros<float>(100);
  const auto y = zeros<float>(kThreads);
  read_again<<<2, kThreads>>>(x.get(), y.get());
  const Counters counters = simt::last_launch();
  CHECK(counters.global_loads.bytes == 2 * kThreads * 100 * sizeof(float));
  CHECK(counters.global_loads.unique_bytes == 100 * sizeof(float));
  CHECK(counters.global_stores.bytes == 2 * kThreads * sizeof(float));
  CHECK(counters.global_stores.unique_bytes == kThreads * sizeof(float));
  simt::clear_findings();  // two blocks store the same: a race, and not what this is about
}

TEST_CASE("bytes that two lines touch count for each of them, and once for the launch") {
  const auto x = zeros<float>(kThreads);
  const auto y = zeros<float>(kThreads);
  read_twice<<<1, kThreads>>>(x.get(), y.get());
  auto lines = by_line(simt::last_launch_by_line());
  CHECK(lines[kFirstOfTwoLines].global_loads.unique_bytes == kThreads * sizeof(float));
  CHECK(lines[kFirstOfTwoLines + 1].global_loads.unique_bytes == kThreads * sizeof(float));
  CHECK(simt::last_launch().global_loads.unique_bytes == kThreads * sizeof(float));
}

TEST_CASE("bytes that are loaded and not written in a launch") {
  const auto x = zeros<float>(3 * kThreads);
  const auto y = zeros<float>(2 * kThreads);
  constexpr std::uint64_t kRow = kThreads * sizeof(float);
  read_twice<<<1, kThreads>>>(x.get(), y.get());
  CHECK(simt::last_launch().global_read_only_unique_bytes == kRow);
  stores_and_rereads<<<1, kThreads>>>(x.get(), y.get());
  CHECK(simt::last_launch().global_loads.unique_bytes == 2 * kRow);
  CHECK(simt::last_launch().global_read_only_unique_bytes == kRow);
  changes_two_rows<<<1, kThreads>>>(x.get());
  CHECK(simt::last_launch().global_loads.unique_bytes == 3 * kRow);
  CHECK(simt::last_launch().global_read_only_unique_bytes == kRow);
}

TEST_CASE("nothing is counted while counting is off") {
  simt::set_counting(false);
  const auto lines = lines_of_every_kind();
  const Counters counters = simt::last_launch();
  simt::set_counting(true);
  CHECK(lines.empty());
  CHECK(counters.block_barriers == 0);
  CHECK(counters.shuffles == 0);
  CHECK(counters.global_loads.requests == 0);
}

TEST_SUITE_END();
