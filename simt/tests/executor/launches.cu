// What a launch is given, and what it is refused.

#include <ctime>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simt/executor/launch_observer.h"
#include "simt/tests/support/device_array.h"

namespace {

__global__ void write_coordinates(uint3* threads, uint3* blocks) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;
  threads[i] = make_uint3(threadIdx.x, threadIdx.y, threadIdx.z);
  blocks[i] = make_uint3(blockIdx.x, blockIdx.y, blockIdx.z);
}

__global__ void add_one(int* counter) {
  atomicAdd(counter, 1);
}

__global__ void local_stack(int* results, int n) {
  int values[512];  // 2 KiB a thread
  for (int i = 0; i < 512; ++i)
    values[i] = i * n;
  int sum = 0;
  for (int i = 0; i < 512; i += n)
    sum += values[i];
  results[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int copies = 0;
int destroyed = 0;

// As a program's handle of something that it frees at the end.
struct Handle {
  explicit Handle(int* memory) : memory(memory) {}
  Handle(const Handle& other) : memory(other.memory) { ++copies; }
  ~Handle() { ++destroyed; }
  int* memory;
  int large[20] = {};
};

__global__ void add_one_through(Handle handle, double scale, float4 four, int* counter) {
  handle.memory += 0 * static_cast<int>(threadIdx.x);  // its own copy
  handle.large[0] += 1;
  atomicAdd(handle.memory, handle.large[0]);
  if (scale == 2 && four.y == 3) atomicAdd(counter, 1);
}

// How long a loop of as many rounds as the thread's number takes, and when all have ended it.
__global__ void time_loops(long long* taken) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const long long begin = clock64();
  for (unsigned i = 0; i < threadIdx.x; ++i)
    taken[2 * thread] = i;
  const long long end = clock64();
  __syncthreads();
  taken[2 * thread] = end - begin;
  taken[2 * thread + 1] = clock64();
}
__global__ void wait_by_clock(long long* taken, long long ticks) {
  const long long begin = clock64();
  while (clock64() - begin < ticks) {
  }
  taken[0] = clock64() - begin;
}
__global__ void read_clocks(long long* ticks) {
  ticks[0] = clock64();
  ticks[1] = clock();
  ticks[2] = clock64();
}

// Whether a launch of this shape runs; it counts its threads.
int run(dim3 grid, dim3 block, std::size_t dynamic_bytes, int* error) {
  const ExpectedFindings found;
  const DeviceArray<int> counter = zeros<int>(1);
  add_one<<<grid, block, dynamic_bytes>>>(counter.get());
  *error = cudaGetLastError();
  CHECK(found.kinds() == (*error == 0 ? "" : "refused-launch "));
  return counter.host()[0];
}

}  // namespace

TEST_SUITE_BEGIN("launches");

TEST_CASE("threads know where they are in three dimensions") {
  const dim3 grid(3, 2, 2), block(5, 3, 2);
  const DeviceArray<uint3> threads(12 * 30), blocks(12 * 30);
  write_coordinates<<<grid, block>>>(threads.get(), blocks.get());
  const auto t = threads.host();
  const auto b = blocks.host();
  unsigned i = 0;
  for (unsigned bz = 0; bz < 2; ++bz)
    for (unsigned by = 0; by < 2; ++by)
      for (unsigned bx = 0; bx < 3; ++bx)
        for (unsigned tz = 0; tz < 2; ++tz)
          for (unsigned ty = 0; ty < 3; ++ty)
            for (unsigned tx = 0; tx < 5; ++tx, ++i) {
              REQUIRE((t[i].x == tx && t[i].y == ty && t[i].z == tz));
              REQUIRE((b[i].x == bx && b[i].y == by && b[i].z == bz));
            }
}

TEST_CASE("shapes may change from launch to launch") {
  int error = 0;
  for (const unsigned threads : {32u, 1u, 1024u, 33u, 64u, 1023u}) {
    CHECK(run(dim3(3), dim3(threads), 0, &error) == static_cast<int>(3 * threads));
    CHECK(error == 0);
  }
  CHECK(run(dim3(2), dim3(4, 8, 2), 0, &error) == 128);
  CHECK(run(dim3(2), dim3(8, 4, 2), 0, &error) == 128);
}

TEST_CASE("every block runs once, on any number of workers") {
  for (const int workers : {1, 2, 4, 9}) {
    const Workers these(workers);
    int error = 0;
    CHECK(run(dim3(1000), dim3(64), 0, &error) == 64000);
  }
}

TEST_CASE("an observer is told of every launch that ran, with its own counts") {
  struct Seen {
    std::string kernel;
    unsigned blocks, threads, dynamic_bytes;
    std::uint64_t atomics;
  };
  std::vector<Seen> seen;
  simt::observe_launches([&](const simt::EndedLaunch& launch) {
    seen.push_back({std::string(launch.kernel), launch.config.grid.x, launch.config.block.x,
                    static_cast<unsigned>(launch.config.dynamic_shared_bytes),
                    launch.counters.global_atomics.requests});
  });
  int error = 0;
  run(dim3(3), dim3(64), 16, &error);
  run(dim3(1), dim3(1025), 0, &error);  // refused
  run(dim3(2), dim3(32), 0, &error);
  simt::observe_launches({});
  run(dim3(1), dim3(32), 0, &error);

  REQUIRE(seen.size() == 2);
  CHECK(seen[0].kernel == "add_one");
  CHECK(seen[0].blocks == 3);
  CHECK(seen[0].threads == 64);
  CHECK(seen[0].dynamic_bytes == 16);
  CHECK(seen[0].atomics == 6);
  CHECK(seen[1].atomics == 2);
}

TEST_CASE("counters have names, each its own") {
  int error = 0;
  run(dim3(3), dim3(64), 0, &error);
  std::map<std::string_view, std::uint64_t> values;
  for (const auto& [name, value] : simt::named(simt::last_launch()))
    CHECK(values.emplace(name, value).second);
  CHECK(values.at("launches") == 1);
  CHECK(values.at("blocks") == 3);
  CHECK(values.at("threads") == 192);
  CHECK(values.at("global_atomic_requests") == 6);
  CHECK(values.at("global_load_requests") == 0);
}

TEST_CASE("a launch that a device refuses runs nothing") {
  int error = 0;
  const auto refused = [&](dim3 grid, dim3 block, std::size_t dynamic_bytes, int expected) {
    CHECK(run(grid, block, dynamic_bytes, &error) == 0);
    CHECK(error == expected);
    CHECK(simt::last_launch().launches == 0);
  };
  refused(dim3(1), dim3(1025), 0, cudaErrorInvalidConfiguration);
  refused(dim3(1), dim3(32, 33), 0, cudaErrorInvalidConfiguration);
  refused(dim3(1), dim3(1, 1, 65), 0, cudaErrorInvalidConfiguration);
  refused(dim3(1), dim3(0), 0, cudaErrorInvalidConfiguration);
  refused(dim3(0), dim3(32), 0, cudaErrorInvalidConfiguration);
  refused(dim3(1, 65536), dim3(32), 0, cudaErrorInvalidConfiguration);
  refused(dim3(1, 1, 65536), dim3(32), 0, cudaErrorInvalidConfiguration);
  refused(dim3(2147483648u), dim3(32), 0, cudaErrorInvalidConfiguration);
  refused(dim3(1), dim3(32), 227 * 1024 + 1, cudaErrorInvalidValue);
}

TEST_CASE("an error stays until it is taken") {
  int error = 0;
  run(dim3(1), dim3(2048), 0, &error);
  CHECK(error == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("more than 48 KiB of dynamic shared memory need permission, where the kernel is known") {
  int kernel = 0;  // any address
  simt::LaunchConfig config;
  config.block = {32};
  config.dynamic_shared_bytes = 100 * 1024;
  config.kernel = &kernel;
  const auto nothing = [](void*) {};
  const ExpectedFindings found;
  simt::launch("kernel", config, nothing, nullptr);
  CHECK(simt::take_error() == cudaErrorInvalidValue);
  CHECK(found.kinds() == "refused-launch ");
  CHECK(simt::allow_dynamic_shared(&kernel, 228 * 1024) == cudaErrorInvalidValue);
  CHECK(simt::allow_dynamic_shared(&kernel, 100 * 1024) == cudaSuccess);
  simt::launch("kernel", config, nothing, nullptr);
  CHECK(simt::take_error() == cudaSuccess);
}

TEST_CASE("an argument is copied and destroyed once, however many threads get it") {
  const DeviceArray<int> counters = zeros<int>(2);
  int* const counter = counters.get() + 1;
  {
    Handle handle(counters.get());
    copies = destroyed = 0;
    add_one_through<<<2, 64>>>(handle, 2, make_float4(0, 3, 0, 0), counter);
    CHECK(copies == 1);
    CHECK(destroyed == 1);
    double scale = 2;
    float4 four = make_float4(0, 3, 0, 0);
    int* last = counter;
    void* arguments[] = {&handle, &scale, &four, &last};
    CHECK(cudaLaunchKernel(add_one_through, dim3(2), dim3(64), arguments) == cudaSuccess);
    CHECK(copies == 1);
    CHECK(destroyed == 1);
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = 64;
    cudaLaunchKernelEx(&config, add_one_through, handle, 2.0, four, counter);
    CHECK(copies == destroyed);
    CHECK(copies < 5);
  }
  CHECK(counters.host() == std::vector<int>{3 * 128, 3 * 128});
}

TEST_CASE("the clock of a kernel counts what its threads do, and the same on every run") {
  constexpr int kBlocks = 4;
  std::vector<long long> first;
  for (int run = 0; run < 3; ++run) {
    simt::set_workers(run + 1);
    const DeviceArray<long long> taken = zeros<long long>(kBlocks * 64 * 2);
    time_loops<<<kBlocks, 64>>>(taken.get());
    const std::vector<long long> ticks = taken.host();
    if (run == 0) first = ticks;
    CHECK(ticks == first);
  }
  for (int thread = 1; thread < kBlocks * 64; ++thread) {
    const int in_block = thread % 64;
    // A loop of more rounds takes longer, and what follows a barrier is later than what precedes.
    if (in_block > 0) CHECK(first[2 * thread] > first[2 * thread - 2]);
    CHECK(first[2 * thread + 1] >= first[2 * (thread - in_block + 63)]);
  }
}

TEST_CASE("a kernel that waits for a time by its clock ends") {
  const DeviceArray<long long> ticks = zeros<long long>(2);
  wait_by_clock<<<1, 32>>>(ticks.get(), 100000);
  CHECK(ticks.host()[0] >= 100000);
}

TEST_CASE("clock() in a kernel counts ticks as clock64() does") {
  const DeviceArray<long long> ticks(3);
  read_clocks<<<1, 1>>>(ticks.get());
  const std::vector<long long> in_kernel = ticks.host();
  CHECK(in_kernel[0] <= in_kernel[1]);
  CHECK(in_kernel[1] <= in_kernel[2]);
  const std::clock_t before = clock();
  CHECK(before >= 0);
  CHECK(before <= std::clock());
  CHECK(static_cast<double>(before) / CLOCKS_PER_SEC < 900);  // seconds of this program's own
}

TEST_CASE("local arrays live on stacks that do not meet") {
  const DeviceArray<int> results(4 * 256);
  local_stack<<<4, 256>>>(results.get(), 1);
  for (const int sum : results.host())
    CHECK(sum == 511 * 512 / 2);
  CHECK(simt::findings().empty());
}

TEST_SUITE_END();
