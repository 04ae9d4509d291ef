// The trace: which lane asked for which address, request by request.

#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "simt/executor/trace.h"
#include "simt/tests/support/device_array.h"

namespace {

constexpr int kThreads = 64;

// A thread reads four floats, side by side with its neighbours' or `apart` elements from them.
__global__ void read_four(const float* from, float* to, int apart) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < 4; ++i) {
    sum += from[thread * apart + i * (apart == 1 ? static_cast<int>(blockDim.x) : 1)];
  }
  to[thread] = sum;
}

__global__ void through_shared(const float* from, float* to) {
  __shared__ float values[kThreads];
  values[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = values[2 * threadIdx.x % kThreads];
}

__global__ void odd_lanes_store(float* to) {
  if (threadIdx.x % 2 == 1) to[threadIdx.x] = 1.0f;
}

simt::Trace traced_four(int apart, const simt::TraceLimits& limits = {}) {
  const auto from = zeros<float>(4096);
  const DeviceArray<float> to(4 * kThreads);
  simt::start_trace(limits);
  read_four<<<4, kThreads>>>(from.get(), to.get(), apart);
  return simt::stop_trace();
}

std::vector<std::uint64_t> offsets_of(const simt::TracedRequest& request) {
  std::vector<std::uint64_t> offsets;
  for (const simt::TracedLane& lane : request.lanes)
    offsets.push_back(lane.offset);
  return offsets;
}

}  // namespace

TEST_SUITE_BEGIN("trace");

TEST_CASE("requests of the first warps of the first blocks, in the warp's order") {
  const simt::Trace trace = traced_four(1);
  REQUIRE(trace.requests.size() == 2 * 2 * 5);
  REQUIRE(trace.arrays.size() == 2);
  CHECK(trace.arrays[0].bytes == 4096 * sizeof(float));
  CHECK(trace.arrays[1].bytes == 4 * kThreads * sizeof(float));
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const simt::TracedRequest& request = trace.requests[i];
    CAPTURE(i);
    CHECK(request.launch == 0);
    CHECK(request.block == i / 10);
    CHECK(request.warp == i / 5 % 2);
    CHECK(request.file == "trace.cu");
    const bool loads = i % 5 < 4;
    CHECK(request.kind == (loads ? simt::AccessKind::kGlobalLoad : simt::AccessKind::kGlobalStore));
    CHECK(request.number == (loads ? i % 5 + 1 : 1));
    CHECK(request.of == (loads ? 4 : 1));
    CHECK(request.bytes == 4);
    CHECK(request.sectors == 4);
    CHECK(request.wavefronts == 0);
    REQUIRE(request.lanes.size() == 32);
    const std::uint64_t thread = request.block * kThreads + request.warp * 32;
    const std::uint64_t first = loads ? thread + i % 5 * kThreads : thread;
    for (unsigned lane = 0; lane < 32; ++lane) {
      CHECK(request.lanes[lane].lane == lane);
      CHECK(request.lanes[lane].array == (loads ? 0 : 1));
      CHECK(request.lanes[lane].offset == (first + lane) * sizeof(float));
    }
  }
}

TEST_CASE("lines are those of the load and of the store") {
  const simt::Trace trace = traced_four(1);
  const int load = trace.requests[0].line;
  const int store = trace.requests[4].line;
  CHECK(load > 0);
  CHECK(store == load + 2);
}

TEST_CASE("a stride shows in offsets and sectors") {
  const simt::Trace trace = traced_four(16);
  CHECK(trace.requests[0].sectors == 32);
  CHECK(offsets_of(trace.requests[0])[31] == 31 * 16 * sizeof(float));
  CHECK(offsets_of(trace.requests[1])[0] == sizeof(float));
}

TEST_CASE("limits bound what is kept; the rest is counted") {
  const simt::Trace trace = traced_four(1, {.blocks = 1, .warps = 1, .requests = 2});
  REQUIRE(trace.requests.size() == 3);
  CHECK(trace.requests[1].number == 2);
  CHECK(trace.requests[1].of == 4);
  CHECK(trace.requests[2].kind == simt::AccessKind::kGlobalStore);
}

TEST_CASE("shared memory is told by its offset") {
  const auto from = zeros<float>(kThreads);
  const DeviceArray<float> to(kThreads);
  simt::start_trace({.blocks = 1, .warps = 1, .requests = 4});
  through_shared<<<1, kThreads>>>(from.get(), to.get());
  const simt::Trace trace = simt::stop_trace();
  REQUIRE(trace.requests.size() == 4);
  const simt::TracedRequest& store = trace.requests[1];
  const simt::TracedRequest& load = trace.requests[2];
  CHECK(store.kind == simt::AccessKind::kSharedStore);
  CHECK(store.lanes[0].array == -1);
  CHECK(store.lanes[5].offset - store.lanes[0].offset == 5 * sizeof(float));
  CHECK(store.wavefronts == 1);
  CHECK(load.kind == simt::AccessKind::kSharedLoad);
  CHECK(load.wavefronts == 2);
  CHECK(load.sectors == 0);
}

TEST_CASE("only the lanes that took part are listed, and launches are told apart") {
  const DeviceArray<float> to(32);
  simt::start_trace();
  odd_lanes_store<<<1, 32>>>(to.get());
  odd_lanes_store<<<1, 32>>>(to.get());
  const simt::Trace trace = simt::stop_trace();
  REQUIRE(trace.requests.size() == 2);
  REQUIRE(trace.requests[0].lanes.size() == 16);
  CHECK(trace.requests[0].lanes[3].lane == 7);
  CHECK(trace.requests[0].launch == 0);
  CHECK(trace.requests[1].launch == 1);
  CHECK(trace.requests[1].kernel == "odd_lanes_store");
}

TEST_CASE("the trace does not depend on the number of workers") {
  const auto digest = [](const simt::Trace& trace) {
    std::vector<std::uint64_t> numbers;
    for (const simt::TracedRequest& request : trace.requests) {
      numbers.insert(numbers.end(), {request.launch, request.block, request.warp, request.number});
      for (const simt::TracedLane& lane : request.lanes)
        numbers.push_back(lane.offset);
    }
    return numbers;
  };
  const simt::TraceLimits all{.blocks = 4, .warps = 2, .requests = 100};
  const auto with_many = [&] {
    const Workers workers(4);
    return digest(traced_four(16, all));
  }();
  const Workers workers(1);
  CHECK(digest(traced_four(16, all)) == with_many);
}

TEST_CASE("nothing is recorded before the start and after the end") {
  traced_four(1);
  const DeviceArray<float> to(32);
  odd_lanes_store<<<1, 32>>>(to.get());
  simt::start_trace();
  CHECK(simt::stop_trace().requests.empty());
}

TEST_CASE("counts are the same with a trace and without") {
  const DeviceArray<float> to(32);
  odd_lanes_store<<<1, 32>>>(to.get());
  const simt::Counters without = simt::last_launch();
  simt::start_trace();
  odd_lanes_store<<<1, 32>>>(to.get());
  simt::stop_trace();
  CHECK(simt::last_launch().global_stores.requests == without.global_stores.requests);
  CHECK(simt::last_launch().global_stores.sectors == without.global_stores.sectors);
  CHECK(without.global_stores.requests == 1);
}

TEST_SUITE_END();
