// Lanes that take different paths: requests must be those of hardware that reconverges as soon as
// it can.

#include <doctest/doctest.h>

#include "simt/tests/support/device_array.h"

namespace {

// Each lane goes round more often than the one before.
__global__ void ragged_loop(const float* x, float* y, int first, int step) {
  float sum = 0.0f;
  const int rounds = first + step * threadIdx.x;
  for (int i = 0; i < rounds; ++i)
    sum += x[i % 8 * 32 + threadIdx.x];
  y[threadIdx.x] = sum;
}

// Some lanes do more in each round.
__global__ void branch_in_loop(const float* x, float* y, int rounds) {
  float value = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    value += x[i % 8 * 32 + threadIdx.x];
    if (threadIdx.x < 4) value *= x[256 + threadIdx.x];
  }
  y[threadIdx.x] = value;
}

// Odd and even lanes take turns.
__global__ void alternate(const float* x, float* y, int rounds) {
  float sum = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    if ((i + threadIdx.x) % 2 == 1) sum += x[i % 8 * 32 + threadIdx.x];
  }
  y[threadIdx.x] = sum;
}

// Two sides, each with a branch of its own, and code after.
__global__ void nested_branches(const float* x, float* y) {
  float value = x[threadIdx.x];
  if (threadIdx.x < 16) {
    value += x[32 + threadIdx.x];
    if (threadIdx.x < 8) value += x[64 + threadIdx.x];
    value *= x[96 + threadIdx.x];
  } else {
    value -= x[128 + threadIdx.x];
    if (threadIdx.x < 24) value -= x[160 + threadIdx.x];
    value /= x[192 + threadIdx.x];  // not the same operation, or g++ merges the two
  }
  y[threadIdx.x] = value + x[224 + threadIdx.x];
}

// Diverges between shuffles, at which all lanes meet.
__global__ void branch_between_shuffles(const float* x, float* y, int rounds) {
  float value = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x % 2 == 0) value += x[threadIdx.x];
    value = __shfl_xor_sync(0xffffffff, value, 1);
    value += x[32 + threadIdx.x];
  }
  y[threadIdx.x] = value;
}

// Diverges right behind a barrier, and has more to do behind the shuffle that follows.
__global__ void branch_behind_a_barrier(const float* x, float* y) {
  float value = 0.0f;
  __syncthreads();
  if (threadIdx.x % 2 == 0) value = x[threadIdx.x];
  value += x[32 + threadIdx.x];
  value = __shfl_xor_sync(0xffffffff, value, 1);
  y[threadIdx.x] = value;
}

// A branch after many events that all lanes have in common, and a shuffle later on.
__global__ void late_branch(const float* x, float* y, int rounds, int more_blocks) {
  float value = 0.0f;
  for (int i = 0; i < rounds; ++i)
    value += x[i % 8 * 32 + threadIdx.x];
  for (int i = 0; i < more_blocks; ++i)
    value *= 1.5f;
  if (threadIdx.x % 2 == 0) value += x[256 + threadIdx.x];
  value *= x[288 + threadIdx.x];
  value = __shfl_xor_sync(0xffffffff, value, 1);
  y[threadIdx.x] = value + x[320 + threadIdx.x];
}

__global__ void early_exit(const float* x, float* y, int active) {
  if (static_cast<int>(threadIdx.x) >= active) return;
  y[threadIdx.x] = x[threadIdx.x] + x[32 + threadIdx.x];
}

simt::Counters counted() {
  return simt::last_launch();
}

}  // namespace

TEST_SUITE_BEGIN("divergence");

// The first test, as others make the logs grow.
TEST_CASE("lanes that part just where their logs are full meet again all the same") {
  const auto x = zeros<float>(1024);
  const DeviceArray<float> y(32);
  for (int rounds = 400; rounds < 1200; ++rounds) {
    for (int more_blocks = 0; more_blocks < 3; ++more_blocks) {
      late_branch<<<1, 32>>>(x.get(), y.get(), rounds, more_blocks);
      REQUIRE(counted().global_loads.requests == static_cast<std::uint64_t>(rounds) + 3);
    }
  }
}

TEST_CASE("a ragged loop takes as many requests as its longest lane") {
  const auto x = zeros<float>(1024);
  const DeviceArray<float> y(32);
  ragged_loop<<<1, 32>>>(x.get(), y.get(), 5000, 100);
  CHECK(counted().global_loads.requests == 5000 + 31 * 100);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("lanes that do more in a round come back for the next") {
  const auto x = zeros<float>(1024);
  const DeviceArray<float> y(32);
  branch_in_loop<<<1, 32>>>(x.get(), y.get(), 20000);
  CHECK(counted().global_loads.requests == 40000);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("lanes that take turns share a round") {
  const auto x = zeros<float>(1024);
  const DeviceArray<float> y(32);
  alternate<<<1, 32>>>(x.get(), y.get(), 1000);
  CHECK(counted().global_loads.requests == 1000);
  CHECK(counted().global_loads.elements == 16 * 1000);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("nested branches meet innermost first") {
  const auto x = zeros<float>(1024);
  const DeviceArray<float> y(32);
  nested_branches<<<1, 32>>>(x.get(), y.get());
  CHECK(counted().global_loads.requests == 1 + 3 + 3 + 1);
  CHECK(counted().global_loads.elements == 32 + (16 + 8 + 16) * 2 + 32);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("all lanes meet at a shuffle") {
  const auto x = zeros<float>(64);
  const DeviceArray<float> y(32);
  branch_between_shuffles<<<1, 32>>>(x.get(), y.get(), 3000);
  CHECK(counted().global_loads.requests == 2 * 3000);
  CHECK(counted().global_loads.elements == (16 + 32) * 3000);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("lanes that part behind a barrier meet again before the next shuffle") {
  const auto x = zeros<float>(64);
  const DeviceArray<float> y(32);
  branch_behind_a_barrier<<<1, 32>>>(x.get(), y.get());
  CHECK(counted().global_loads.requests == 2);
  CHECK(counted().global_loads.elements == 16 + 32);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("lanes that return take no part in what follows") {
  const auto x = zeros<float>(64);
  const DeviceArray<float> y(32);
  early_exit<<<1, 32>>>(x.get(), y.get(), 20);
  CHECK(counted().global_loads.requests == 2);
  CHECK(counted().global_loads.elements == 40);
  CHECK(counted().global_stores.sectors == 3);
}

TEST_SUITE_END();
