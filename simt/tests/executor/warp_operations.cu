// Shuffles, votes and warp barriers against the PTX ISA's definitions (shfl.sync, vote.sync,
// bar.warp.sync).

#include <array>
#include <doctest/doctest.h>

#include "simt/tests/support/device_array.h"

namespace {

constexpr unsigned kAllLanes = 0xffffffff;

enum class Shuffle { kIndex, kUp, kDown, kXor };

// Every lane offers its own number times ten.
__global__ void shuffle(Shuffle kind, int argument, int width, int* results) {
  const int mine = 10 * static_cast<int>(threadIdx.x);
  int result = 0;
  if (kind == Shuffle::kIndex) result = __shfl_sync(kAllLanes, mine, argument, width);
  if (kind == Shuffle::kUp) result = __shfl_up_sync(kAllLanes, mine, argument, width);
  if (kind == Shuffle::kDown) result = __shfl_down_sync(kAllLanes, mine, argument, width);
  if (kind == Shuffle::kXor) result = __shfl_xor_sync(kAllLanes, mine, argument, width);
  results[threadIdx.x] = result;
}

// PTX: the lane is clamped to the segment of the caller.
int source(Shuffle kind, int lane, int argument, int width) {
  const int begin = lane / width * width;
  const int end = begin + width;
  switch (kind) {
    case Shuffle::kIndex:
      return begin + argument % width;
    case Shuffle::kUp:
      return lane - argument < begin ? lane : lane - argument;
    case Shuffle::kDown:
      return lane + argument >= end ? lane : lane + argument;
    case Shuffle::kXor:
      return (lane ^ argument) >= end ? lane : lane ^ argument;
  }
  return lane;
}

__global__ void two_groups(int* results) {
  const bool low = threadIdx.x < 16;
  const unsigned mask = low ? 0x0000ffff : 0xffff0000;
  int value = threadIdx.x;
  // Different numbers of operations: the groups do not wait for each other, but go side by side.
  const int rounds = low ? 3 : 5;
  for (int i = 0; i < rounds; ++i)
    value += __shfl_xor_sync(mask, value, 1);
  results[threadIdx.x] = value;
}

__global__ void votes(unsigned* ballots, int* any, int* all, int limit) {
  const bool mine = static_cast<int>(threadIdx.x) < limit;
  ballots[threadIdx.x] = __ballot_sync(kAllLanes, mine);
  any[threadIdx.x] = __any_sync(kAllLanes, mine);
  all[threadIdx.x] = __all_sync(kAllLanes, mine);
}

__global__ void sync_after_returns(int* results) {
  __shared__ int values[32];
  if (threadIdx.x >= 20) return;
  values[threadIdx.x] = threadIdx.x;
  __syncwarp();
  results[threadIdx.x] = values[19 - threadIdx.x];
}

// Lane 0 comes to the barrier after all others have returned.
__global__ void sync_alone(const int* x, int* result, int rounds, int more_blocks) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < rounds; ++i)
    sum += x[i % 8];
  for (int i = 0; i < more_blocks; ++i)
    sum *= 3;
  __syncwarp();
  *result = sum;
}

__global__ void wide_values(double* doubles, long long* integers) {
  doubles[threadIdx.x] = __shfl_down_sync(kAllLanes, 0.1 * threadIdx.x, 1);
  integers[threadIdx.x] = __shfl_sync(kAllLanes, (1ll << 40) + threadIdx.x, 5);
}

__global__ void counting_barrier(int* counts) {
  const int below_five = __syncthreads_count(threadIdx.x < 5);
  const int odd = __syncthreads_count(threadIdx.x % 2);
  counts[threadIdx.x] = 1000 * below_five + odd;
}

__global__ void many_rounds(float* sums, int rounds) {
  float value = threadIdx.x;
  for (int i = 0; i < rounds; ++i)
    value = 0.5f * (value + __shfl_xor_sync(kAllLanes, value, 1 << i % 5));
  sums[threadIdx.x] = value;
}

}  // namespace

TEST_SUITE_BEGIN("warp_operations");

TEST_CASE("every shuffle, argument and width") {
  const DeviceArray<int> results(32);
  for (const Shuffle kind : {Shuffle::kIndex, Shuffle::kUp, Shuffle::kDown, Shuffle::kXor}) {
    for (int width = 1; width <= 32; width *= 2) {
      for (int argument = 0; argument < 32; ++argument) {
        shuffle<<<1, 32>>>(kind, argument, width, results.get());
        const auto host = results.host();
        for (int lane = 0; lane < 32; ++lane) {
          CAPTURE(width);
          CAPTURE(argument);
          CAPTURE(lane);
          REQUIRE(host[lane] == 10 * source(kind, lane, argument, width));
        }
      }
    }
  }
  CHECK(simt::last_launch().shuffles == 1);
}

TEST_CASE("groups of lanes with masks of their own") {
  const DeviceArray<int> results(32);
  two_groups<<<1, 32>>>(results.get());
  const auto host = results.host();
  for (int lane = 0; lane < 32; ++lane) {
    const int pair = lane + (lane ^ 1);  // after one round; each further round doubles it
    CHECK(host[lane] == pair * (lane < 16 ? 4 : 16));
  }
  CHECK(simt::last_launch().shuffles == 5);
  CHECK(simt::findings().empty());
}

TEST_CASE("votes") {
  for (const int limit : {0, 1, 20, 32}) {
    const DeviceArray<unsigned> ballots(32);
    const DeviceArray<int> any(32), all(32);
    votes<<<1, 32>>>(ballots.get(), any.get(), all.get(), limit);
    const unsigned expected = static_cast<unsigned>((1ull << limit) - 1);
    CHECK(ballots.host()[31] == expected);
    CHECK((any.host()[0] != 0) == (limit > 0));
    CHECK((all.host()[0] != 0) == (limit == 32));
    CHECK(simt::last_launch().votes == 3);
  }
}

TEST_CASE("a warp barrier waits for the lanes that remain") {
  const DeviceArray<int> results(20);
  sync_after_returns<<<1, 32>>>(results.get());
  CHECK(results.host()[0] == 19);
  CHECK(simt::last_launch().warp_syncs == 1);
  CHECK(simt::findings().empty());
}

TEST_CASE(
    "a lane that waits alone goes on, also where the barrier is the last event of a full log") {
  const auto x = zeros<int>(8);
  const DeviceArray<int> result(1);
  for (int rounds = 600; rounds < 1100; ++rounds) {
    for (int more_blocks = 0; more_blocks < 3; ++more_blocks) {
      sync_alone<<<1, 32>>>(x.get(), result.get(), rounds, more_blocks);
      const simt::Counters counted = simt::last_launch();
      REQUIRE(counted.global_loads.requests == static_cast<std::uint64_t>(rounds));
      REQUIRE(counted.global_stores.requests == 1);
      REQUIRE(counted.warp_syncs == 1);
    }
  }
  CHECK(simt::findings().empty());
}

TEST_CASE("values of eight bytes") {
  const DeviceArray<double> doubles(32);
  const DeviceArray<long long> integers(32);
  wide_values<<<1, 32>>>(doubles.get(), integers.get());
  CHECK(doubles.host()[3] == 0.1 * 4);
  CHECK(doubles.host()[31] == 0.1 * 31);
  CHECK(integers.host()[17] == (1ll << 40) + 5);
  CHECK(simt::last_launch().shuffles == 2 * 2);  // 4 bytes at a time, as on a device
}

TEST_CASE("a barrier that counts, over several warps, the last of them partial") {
  const DeviceArray<int> counts(100);
  counting_barrier<<<1, 100>>>(counts.get());
  for (const int count : counts.host())
    CHECK(count == 5050);
  CHECK(simt::last_launch().block_barriers == 2);
}

TEST_CASE("more rounds than a log holds") {
  const DeviceArray<float> sums(64);
  many_rounds<<<1, 64>>>(sums.get(), 10000);
  CHECK(sums.host()[0] == doctest::Approx(15.5));
  CHECK(sums.host()[63] == doctest::Approx(47.5));
  CHECK(simt::last_launch().shuffles == 2 * 10000);
  CHECK(simt::last_launch().global_stores.requests == 2);
}

TEST_SUITE_END();
