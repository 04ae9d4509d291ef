// Launches that are not counted a second time: what they compute, and what is known after them.

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "simt/executor/counters.h"
#include "simt/executor/launch_observer.h"
#include "simt/tests/support/device_array.h"

namespace {

constexpr int kThreads = 96;
constexpr int kBlocks = 5;

__device__ int launches_done;

// The sum of the block's numbers, through a shuffle, shared memory, two barriers and an atomic.
template <typename T>
__global__ void add_up(const T* in, T* out, T* all) {
  __shared__ T parts[kThreads / 32];
  T sum = in[blockIdx.x * kThreads + threadIdx.x];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  const T of_block = parts[0] + parts[1] + parts[2];
  out[blockIdx.x] = of_block;
  atomicAdd(all, of_block);
  if (blockIdx.x == 0) ++launches_done;
}

__global__ void store(float* out, int elements) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < elements) out[i] = 1.0f;
}

__global__ void read(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

// Threads from one on wait for those of their warp that are as late; the others return at once.
__global__ void meet_from(int first, unsigned* out) {
  const dim3 shape = blockDim;
  const unsigned thread = (threadIdx.z * shape.y + threadIdx.y) * shape.x + threadIdx.x;
  unsigned* const mine = out + blockIdx.x * shape.x * shape.y * shape.z + thread;
  *mine = thread;
  if (static_cast<int>(thread) < first) return;
  const unsigned together = __activemask();
  *mine += 1000 * __shfl_sync(together, thread, 31) + 1000000 * __popc(together);
}

// Even threads end in a function that they call.
__device__ void end_if_even(unsigned thread) {
  if (thread % 2 == 0) simt::exit_thread();
}
__global__ void store_if_odd(unsigned* out) {
  end_if_even(threadIdx.x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

/// Whether each launch ran plain, and no findings of earlier tests.
struct Plain {
  Plain() {
    simt::clear_findings();
    simt::set_findings_printed(false);
    simt::set_counted_time(0);
    simt::observe_launches(
        [this](const simt::EndedLaunch& launch) { are_plain.push_back(launch.is_plain); });
  }
  ~Plain() {
    simt::observe_launches({});
    simt::set_counted_time(std::numeric_limits<double>::infinity());
    simt::clear_findings();
    simt::set_findings_printed(true);
  }
  std::vector<bool> are_plain;
};

using Plains = std::vector<bool>;

}  // namespace

extern "C" void simt_counted_kernel(int* result);  // plain_copies.cpp

TEST_SUITE_BEGIN("plain_launches");

TEST_CASE_FIXTURE(Plain,
                  "the first launch of a kernel and shape is counted; all compute the same") {
  std::vector<int> numbers(kBlocks * kThreads);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<int>(i);
  const DeviceArray<int> in(numbers), all = zeros<int>(1), out = zeros<int>(kBlocks);
  simt::reset_counters();
  for (int i = 0; i < 3; ++i)
    add_up<<<kBlocks, kThreads>>>(in.get(), out.get(), all.get());
  CHECK(are_plain == Plains{false, true, true});
  CHECK(simt::counters().launches == 1);
  CHECK(simt::counters().global_loads.elements == kBlocks * kThreads + 1);
  CHECK(simt::last_launch().launches == 0);
  CHECK(simt::last_launch_by_line().empty());
  const int sum = kBlocks * kThreads * (kBlocks * kThreads - 1) / 2;
  CHECK(all.host()[0] == 3 * sum);
  CHECK(out.host()[1] == kThreads * kThreads + kThreads * (kThreads - 1) / 2);
  int done = 0;
  cudaMemcpyFromSymbol(&done, launches_done, sizeof done);
  CHECK(done == 3);
  CHECK(simt::findings().empty());
}

TEST_CASE_FIXTURE(Plain, "another shape, amount of shared memory or instance is another kind") {
  const DeviceArray<float> out = zeros<float>(256);
  store<<<1, 32>>>(out.get(), 32);
  store<<<2, 32>>>(out.get(), 32);
  store<<<1, 64>>>(out.get(), 32);
  store<<<1, 32, 16>>>(out.get(), 32);
  store<<<1, 32>>>(out.get(), 7);
  CHECK(are_plain == Plains{false, false, false, false, true});
  const DeviceArray<int> ints = zeros<int>(3 * kThreads);
  const DeviceArray<unsigned> words = zeros<unsigned>(3 * kThreads);
  add_up<<<1, kThreads>>>(ints.get(), ints.get() + kThreads, ints.get() + 2 * kThreads);
  add_up<<<1, kThreads>>>(words.get(), words.get() + kThreads, words.get() + 2 * kThreads);
  CHECK_FALSE(are_plain[5]);
  CHECK_FALSE(are_plain[6]);
}

TEST_CASE_FIXTURE(Plain, "a launch that is counted knows what those before it have written") {
  const DeviceArray<float> first(64), second(64), copy(64);
  store<<<1, 64>>>(first.get(), 64);
  store<<<1, 64>>>(second.get(), 48);
  read<<<1, 48>>>(second.get(), copy.get());
  CHECK(are_plain == Plains{false, true, false});
  CHECK(simt::findings().empty());
  read<<<1, 64>>>(second.get(), copy.get());
  const auto& found = simt::findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "uninitialized-global-read");
}

TEST_CASE_FIXTURE(Plain, "a store out of bounds makes no memory of what is none") {
  const DeviceArray<float> array(64);
  store<<<1, 96>>>(array.get(), 64);
  store<<<1, 96>>>(array.get(), 65);
  CHECK(are_plain == Plains{false, true});
  CHECK(simt::findings().empty());
  simt::set_counted_time(std::numeric_limits<double>::infinity());
  store<<<1, 96>>>(array.get(), 65);
  const auto& found = simt::findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == "global-out-of-bounds");
}

TEST_CASE_FIXTURE(Plain, "before the time is over everything is counted") {
  constexpr double kLong = 3600;
  const DeviceArray<float> out = zeros<float>(32);
  simt::set_counted_time(kLong);
  for (int i = 0; i < 2; ++i)
    store<<<1, 32>>>(out.get(), 32);
  CHECK(are_plain == Plains{false, false});
}

TEST_CASE_FIXTURE(Plain, "threads that take turns wait wherever one of them does") {
  const dim3 shape(8, 6, 2);  // three warps
  const DeviceArray<unsigned> out = zeros<unsigned>(kBlocks * kThreads);
  for (const int first : {96, 0, 1, 31, 32, 40, 63, 95, 96}) {
    meet_from<<<kBlocks, shape>>>(first, out.get());
    const std::vector<unsigned> found = out.host();
    for (int i = 0; i < kBlocks * kThreads; ++i) {
      const int thread = i % kThreads;
      const int last = thread / 32 * 32 + 31;
      const int together = std::min(32, last + 1 - first);
      CAPTURE(first);
      CAPTURE(i);
      const int met = thread < first ? 0 : 1000 * last + 1000000 * together;
      CHECK(found[static_cast<std::size_t>(i)] == static_cast<unsigned>(thread + met));
    }
  }
  CHECK(are_plain == Plains{false, true, true, true, true, true, true, true, true});
  CHECK(simt::findings().empty());
}

TEST_CASE_FIXTURE(Plain, "a thread that ends itself makes way for the next") {
  const DeviceArray<unsigned> out = zeros<unsigned>(kBlocks * kThreads);
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMemset(out.get(), 0, kBlocks * kThreads * sizeof(unsigned)) == cudaSuccess);
    store_if_odd<<<kBlocks, kThreads>>>(out.get());
    const std::vector<unsigned> found = out.host();
    for (unsigned thread = 0; thread < kBlocks * kThreads; ++thread)
      CHECK(found[thread] == (thread % 2 == 0 ? 0 : thread % kThreads));
  }
  CHECK(are_plain == Plains{false, true});
  CHECK(simt::findings().empty());
}

#if defined(__ELF__)
TEST_CASE_FIXTURE(Plain, "a launch that runs plain calls the copy of its kernel") {
  const DeviceArray<int> result = zeros<int>(1);
  int* pointer = result.get();
  void* arguments[] = {&pointer};
  for (const int expected : {1, 2, 2}) {
    CHECK(cudaLaunchKernel(simt_counted_kernel, dim3(1), dim3(1), arguments) == cudaSuccess);
    CHECK(result.host()[0] == expected);
  }
  CHECK(are_plain == Plains{false, true, true});
}
#endif
