// One mistake a kernel. Each must be found, named, and placed: kind, line, block and thread.

#include <cstring>
#include <doctest/doctest.h>

#include "simt/tests/support/device_array.h"

namespace {

constexpr unsigned kAllLanes = 0xffffffff;

__global__ void no_tail_guard(float* y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}
__global__ void reads_one_past_the_end(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x + 1];
}
__global__ void reads_unwritten_global(float* y) {
  y[threadIdx.x] += 1.0f;
}
__global__ void reads_unwritten_shared(float* y) {
  __shared__ float part[32];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = part[threadIdx.x % 32];  // two of them were written
}
__global__ void no_barrier(float* y) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  y[threadIdx.x] = s[63 - threadIdx.x];
}
// The barrier after a reduction is missing, so the next round writes what others still read.
__global__ void no_trailing_barrier(float* y) {
  __shared__ float s[2];
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = round;
    __syncthreads();
    y[threadIdx.x + 64 * round] = s[0] + s[1];
  }
}
__global__ void two_writers(float* y) {
  __shared__ float s;
  if (threadIdx.x % 32 == 0) s = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = s;
}
__global__ void no_warp_barrier(float* y) {
  __shared__ float s[32];
  s[threadIdx.x] = 1.0f;
  y[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void with_warp_barrier(float* y) {
  __shared__ float s[32];
  s[threadIdx.x] = 1.0f;
  __syncwarp();
  y[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void dynamic_too_small(float* y) {
  extern __shared__ float buffer[];
  buffer[threadIdx.x] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = 1.0f;
}
__global__ void static_too_small(float* y) {
  __shared__ float s[31];
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = s[0];
}
__global__ void returns_before_barrier(float* y, int n) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  __syncthreads();
  y[threadIdx.x] = 1.0f;
}
__global__ void two_barriers(float* y) {
  if (threadIdx.x < 32) {
    y[threadIdx.x] = 1.0f;
    __syncthreads();
  } else {
    y[threadIdx.x] = 2.0f;
    __syncthreads();
  }
}
__global__ void shuffle_against_barrier(float* y) {
  float v = 1.0f;
  if (threadIdx.x < 16) {
    v = __shfl_xor_sync(kAllLanes, v, 1);
  } else {
    __syncthreads();
  }
  y[threadIdx.x] = v;
}
__global__ void two_masks(float* y) {
  const unsigned mask = threadIdx.x == 7 ? 0x000000ff : kAllLanes;
  y[threadIdx.x] = __shfl_xor_sync(mask, 1.0f, 1);
}
__global__ void shuffle_after_return(float* y, int n) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  float v = threadIdx.x;
  for (int distance = 16; distance > 0; distance /= 2)
    v += __shfl_xor_sync(kAllLanes, v, distance);
  y[threadIdx.x] = v;
}
__global__ void mask_without_caller(float* y) {
  float v = threadIdx.x;
  v = __shfl_xor_sync(0xffffu, v, 1);
  y[threadIdx.x] = v;
}
__global__ void source_outside_mask(float* y) {
  float v = 1.0f;
  if (threadIdx.x < 16) v = __shfl_xor_sync(0xffffu, v, 16);
  y[threadIdx.x] = v;
}
__global__ void vote_after_return(float* y, int n) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  y[threadIdx.x] = __any_sync(kAllLanes, 1);
}
__global__ void odd_width(float* y) {
  y[threadIdx.x] = __shfl_down_sync(kAllLanes, 1.0f, 1, 12);
}
__global__ void misaligned_vector(const float* x, float4* y) {
  y[threadIdx.x] = *reinterpret_cast<const float4*>(x + 1 + 4 * threadIdx.x);
}
__global__ void copies(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];
}
__global__ void stores_one(int* y) {
  *y = 1;
}
__global__ void doubles_the_first_ten(float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 10) y[i] *= 2;
}
__global__ void stores_to_null() {
  int* const null = nullptr;
  *null = 1;
}
__global__ void copies_from_null(int* y) {
  const int* const null = nullptr;
  *y = *null;
}
__global__ void overflowed_index(float* y, int n) {
  y[n * static_cast<int>(threadIdx.x + 1)] = 1.0f;
}

// All kinds found, in order, and that the message names what it must.
struct Mistakes {
  ExpectedFindings found;
  DeviceArray<float> x = zeros<float>(256);
  DeviceArray<float> y = zeros<float>(1024);

  bool mentions(const char* text) const {
    const bool does = found.message().find(text) != std::string::npos;
    if (!does) MESSAGE(found.message());
    return does;
  }
};

constexpr int kLaunchFailure = 719;

}  // namespace

TEST_SUITE_BEGIN("mistakes");

TEST_CASE_FIXTURE(Mistakes, "stores past the end of an allocation") {
  const DeviceArray<float> small(100);
  no_tail_guard<<<2, 64>>>(small.get());
  CHECK(found.kinds() == "global-out-of-bounds ");
  CHECK(mentions("store of 4 bytes at byte 400 of an allocation of 400 bytes"));
  CHECK(mentions("mistakes.cu:"));
  CHECK(mentions("in kernel no_tail_guard, block (1,0,0), thread (36,0,0)"));
  CHECK(simt::peek_error() == 0);
}

TEST_CASE_FIXTURE(Mistakes, "loads past the end of an allocation") {
  reads_one_past_the_end<<<1, 256>>>(x.get(), y.get());
  CHECK(found.kinds() == "global-out-of-bounds ");
  CHECK(mentions("load of 4 bytes at byte 1024 of an allocation of 1024 bytes"));
  CHECK(mentions("thread (255,0,0)"));
}

TEST_CASE_FIXTURE(Mistakes, "loads global memory that nobody wrote") {
  const DeviceArray<float> fresh(32);
  reads_unwritten_global<<<1, 32>>>(fresh.get());
  CHECK(found.kinds() == "uninitialized-global-read ");
}

TEST_CASE_FIXTURE(Mistakes, "loads shared memory that nobody wrote") {
  reads_unwritten_shared<<<1, 64>>>(y.get());
  CHECK(found.kinds() == "uninitialized-shared-read ");
  CHECK(mentions("'part'"));
}

TEST_CASE_FIXTURE(Mistakes, "lacks a barrier between store and load") {
  no_barrier<<<1, 64>>>(y.get());
  CHECK(found.kinds().find("shared-race ") != std::string::npos);
}

TEST_CASE_FIXTURE(Mistakes, "lacks a barrier between load and next store") {
  no_trailing_barrier<<<1, 64>>>(y.get());
  // Either order of the two warps shows it.
  CHECK(found.kinds() == "shared-race shared-race ");
  CHECK((found.message(0) + found.message(1)).find("store after load") != std::string::npos);
}

TEST_CASE_FIXTURE(Mistakes, "stores to one place from two warps") {
  two_writers<<<1, 64>>>(y.get());
  CHECK(found.kinds() == "shared-race ");
  CHECK(mentions("store after store: threads 0 and 32"));
}

TEST_CASE_FIXTURE(Mistakes, "lacks a barrier within a warp") {
  no_warp_barrier<<<1, 32>>>(y.get());
  CHECK(found.kinds().find("shared-race ") != std::string::npos);
}

TEST_CASE_FIXTURE(Mistakes, "a warp barrier orders the accesses of its warp") {
  with_warp_barrier<<<1, 32>>>(y.get());
  CHECK(found.kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "the next block does not race with the one before") {
  with_warp_barrier<<<8, 32>>>(y.get());
  CHECK(found.kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "stores past the end of dynamic shared memory") {
  dynamic_too_small<<<1, 64, 128>>>(y.get());
  CHECK(found.kinds() == "shared-out-of-bounds ");
  CHECK(mentions("byte 128 of the dynamic shared memory, which has 128 bytes"));
}

TEST_CASE_FIXTURE(Mistakes, "stores past the end of a static array") {
  static_too_small<<<1, 32>>>(y.get());
  CHECK(found.kinds() == "shared-out-of-bounds ");
  CHECK(mentions("byte 124 of 's', which has 124 bytes"));
}

TEST_CASE_FIXTURE(Mistakes, "returns before a barrier") {
  returns_before_barrier<<<1, 64>>>(y.get(), 50);
  CHECK(found.kinds() == "divergent-barrier ");
  CHECK(mentions("returned from the kernel: 14 threads, 50 to 63"));
  CHECK(mentions("at the block's barrier, mistakes.cu:"));
  CHECK(simt::take_error() == 0);
  const auto stored = y.host();
  CHECK(stored[49] == 1.0f);
  CHECK(stored[50] == 0.0f);
}

TEST_CASE_FIXTURE(Mistakes, "waits at two different barriers") {
  two_barriers<<<1, 64>>>(y.get());
  CHECK(found.kinds() == "divergent-barrier ");
  CHECK(simt::take_error() == kLaunchFailure);
}

TEST_CASE_FIXTURE(Mistakes, "waits at a shuffle and at a barrier") {
  shuffle_against_barrier<<<1, 32>>>(y.get());
  CHECK(found.kinds() == "deadlock ");
  CHECK(mentions("at __shfl_xor_sync with mask 0xffffffff, mistakes.cu:"));
  CHECK(mentions("16 threads, 16 to 31"));
  CHECK(simt::take_error() == kLaunchFailure);
}

TEST_CASE_FIXTURE(Mistakes, "names different masks") {
  two_masks<<<1, 32>>>(y.get());
  CHECK(found.kinds() == "deadlock ");
  CHECK(simt::take_error() == kLaunchFailure);
}

TEST_CASE_FIXTURE(Mistakes, "shuffles with lanes that have returned") {
  shuffle_after_return<<<1, 32>>>(y.get(), 20);
  CHECK(found.kinds() == "warp-mask ");
  CHECK(mentions("names lane 20, which has skipped it and returned from the kernel"));
  CHECK(simt::take_error() == kLaunchFailure);
}

TEST_CASE_FIXTURE(Mistakes, "shuffles with lanes that the block does not have") {
  shuffle_after_return<<<1, 20>>>(y.get(), 20);
  CHECK(found.kinds() == "shuffle-absent-lane ");
  CHECK(mentions("which the block does not have"));
  CHECK(simt::take_error() == kLaunchFailure);
}

TEST_CASE_FIXTURE(Mistakes, "is not named in its own mask") {
  mask_without_caller<<<1, 32>>>(y.get());
  CHECK(found.kinds() == "warp-mask ");
  CHECK(mentions("does not name the calling lane 16"));
}

TEST_CASE_FIXTURE(Mistakes, "reads a lane outside the mask") {
  source_outside_mask<<<1, 32>>>(y.get());
  CHECK(found.kinds() == "shuffle-absent-lane ");
  CHECK(mentions("lane 0 reads lane 16, which the mask does not name; with 16 as its width"));
}

TEST_CASE_FIXTURE(Mistakes, "votes with lanes that have returned") {
  vote_after_return<<<1, 32>>>(y.get(), 20);
  CHECK(found.kinds() == "warp-mask ");
}

TEST_CASE_FIXTURE(Mistakes, "shuffles in segments that are no power of two") {
  odd_width<<<1, 32>>>(y.get());
  CHECK(found.kinds() == "shuffle-width ");
}

TEST_CASE_FIXTURE(Mistakes, "loads a vector from an unaligned address") {
  misaligned_vector<<<1, 32>>>(x.get(), reinterpret_cast<float4*>(y.get()));
  CHECK(found.kinds() == "misaligned-access ");
  CHECK(mentions("load of 16 bytes at an address that is 4 bytes past a multiple of 16"));
  CHECK(simt::take_error() == 716);
}

TEST_CASE_FIXTURE(Mistakes, "loads through a null pointer") {
  float* volatile null = nullptr;
  copies<<<1, 32>>>(null, y.get());
  CHECK(found.kinds() == "null-access ");
  CHECK(simt::take_error() == 700);
}

// Compilers may take what they see happen to a null pointer for nothing.
TEST_CASE_FIXTURE(Mistakes, "is given a null pointer that the compiler sees") {
  stores_one<<<1, 1>>>(nullptr);
  CHECK(simt::take_error() == 700);
  doubles_the_first_ten<<<1, 32>>>(nullptr);
  CHECK(simt::take_error() == 700);
  CHECK(found.kinds() == "null-access null-access ");
}

TEST_CASE_FIXTURE(Mistakes, "has a null pointer of its own") {
  const DeviceArray<int> result(1);
  stores_to_null<<<1, 1>>>();
  CHECK(simt::take_error() == 700);
  copies_from_null<<<1, 1>>>(result.get());
  CHECK(simt::take_error() == 700);
  CHECK(found.kinds() == "null-access null-access ");
}

TEST_CASE_FIXTURE(Mistakes, "computes an index that overflows") {
  overflowed_index<<<1, 1>>>(y.get(), -2000000000);
  CHECK(found.kinds() == "global-out-of-bounds ");
  CHECK(simt::take_error() == 700);
}

TEST_CASE_FIXTURE(Mistakes, "uses memory that was freed") {
  float* freed = nullptr;
  cudaMalloc(&freed, 128);
  cudaFree(freed);
  copies<<<1, 32>>>(x.get(), freed);
  CHECK(found.kinds() == "use-after-free ");
  CHECK(mentions("of an allocation of 128 bytes that was freed"));
}

TEST_CASE_FIXTURE(Mistakes, "dereferences device memory on the host") {
  volatile float value = x.get()[1];
  static_cast<void>(value);
  CHECK(found.kinds() == "host-access ");
  CHECK(mentions("in host code"));
}

TEST_CASE_FIXTURE(Mistakes, "are not looked for when checking is off") {
  simt::set_checking(false);
  no_barrier<<<1, 64>>>(y.get());
  simt::set_checking(true);
  CHECK(found.kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "are reported once a line, for the first block, however many workers") {
  for (const int workers : {1, 2, 5}) {
    const Workers these(workers);
    simt::clear_findings();
    no_barrier<<<64, 64>>>(y.get());
    int races = 0;
    for (const simt::Finding& finding : simt::findings()) {
      if (finding.kind != "shared-race") continue;
      ++races;
      CHECK(finding.message.find("block (0,0,0)") != std::string::npos);
    }
    CHECK(races == 1);
  }
}

TEST_CASE_FIXTURE(Mistakes, "leave the executor fit for the next launch") {
  shuffle_against_barrier<<<4, 64>>>(y.get());
  CHECK(simt::take_error() == kLaunchFailure);
  simt::clear_findings();
  with_warp_barrier<<<4, 32>>>(y.get());
  CHECK(found.kinds().empty());
  CHECK(simt::take_error() == 0);
  CHECK(y.host()[31] == 1.0f);
}

TEST_SUITE_END();
