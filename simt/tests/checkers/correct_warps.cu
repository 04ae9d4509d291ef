// Correct kernels in which the lanes of a warp rely on each other, with and without all of them:
// none may give a finding.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "simt/tests/checkers/mistakes.h"

namespace cg = cooperative_groups;

namespace {

constexpr unsigned kAllLanes = 0xffffffff;

// The last steps of a reduction in one warp, as of old, with the barriers that it needs.
__global__ void volatile_reduction(float* y) {
  __shared__ volatile float s[64];
  s[threadIdx.x] = 1.0f;
  s[threadIdx.x + 32] = 1.0f;
  __syncwarp();
  for (unsigned distance = 32; distance > 0; distance /= 2) {
    const float other = threadIdx.x < distance ? s[threadIdx.x + distance] : 0.0f;
    __syncwarp();
    if (threadIdx.x < distance) s[threadIdx.x] = s[threadIdx.x] + other;
    __syncwarp();
  }
  if (threadIdx.x == 0) *y = s[0];
}

// Each warp has its part of the array, and its own barriers.
__global__ void a_part_for_each_warp(float* y) {
  __shared__ float s[4][32];
  float* const mine = s[threadIdx.x / 32];
  const unsigned lane = threadIdx.x % 32;
  for (int round = 0; round < 3; ++round) {
    mine[lane] = round;
    __syncwarp();
    y[threadIdx.x] = mine[31 - lane];
    __syncwarp();
  }
}

__global__ void tail_of_an_array(const float* x, float* y, unsigned n) {
  const unsigned inside = __ballot_sync(kAllLanes, threadIdx.x < n);
  if (threadIdx.x >= n) return;
  float sum = x[threadIdx.x] + 1.0f;
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    const bool has_other = threadIdx.x + distance < n;
    const float other = __shfl_sync(inside, sum, has_other ? threadIdx.x + distance : threadIdx.x);
    if (has_other) sum += other;
  }
  if (threadIdx.x == 0) *y = sum;
}

// 40 threads: the last warp has 8 lanes.
__global__ void partial_last_warp(float* y) {
  const unsigned mask = threadIdx.x < 32 ? kAllLanes : 0xffu;
  float sum = 1.0f;
  for (unsigned distance = 4; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(mask, sum, distance);
  y[threadIdx.x] = sum;
}

__global__ void compaction(const float* x, float* y, unsigned* kept) {
  const unsigned votes = __ballot_sync(kAllLanes, x[threadIdx.x] == 0.0f && threadIdx.x % 3 == 0);
  const unsigned before = __popc(votes & ((1u << threadIdx.x) - 1));
  if ((votes >> threadIdx.x & 1) != 0) y[before] = threadIdx.x;
  if (threadIdx.x == 0) *kept = __popc(votes);
}

// One atomic operation for all lanes with the same key.
__global__ void aggregated_by_match(unsigned* bins) {
  const unsigned key = threadIdx.x % 5;
  const unsigned same = __match_any_sync(kAllLanes, key);
  if (__ffs(same) - 1 == static_cast<int>(threadIdx.x % 32)) atomicAdd(&bins[key], __popc(same));
}

__global__ void segments_of_eight(float* y) {
  float sum = threadIdx.x % 8;
  for (int distance = 4; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(kAllLanes, sum, distance, 8);
  y[threadIdx.x] = sum;
}

// The halves of a warp go separate ways, each with a mask of its own.
__global__ void two_halves(float* y) {
  __shared__ float s[32];
  const bool upper = threadIdx.x >= 16;
  const unsigned mask = upper ? 0xffff0000u : 0x0000ffffu;
  if (upper) {
    s[threadIdx.x] = 2.0f;
    __syncwarp(mask);
    y[threadIdx.x] = s[47 - threadIdx.x] + __shfl_sync(mask, 1.0f, 16);
  } else {
    s[threadIdx.x] = 1.0f;
    __syncwarp(mask);
    y[threadIdx.x] = s[15 - threadIdx.x] + __shfl_sync(mask, 1.0f, 0);
  }
}

__global__ void lanes_loop_on_together(int* y) {
  int mine = threadIdx.x;
  int rounds = 0;
  while (__any_sync(kAllLanes, mine > 3)) {
    mine -= mine > 3;
    ++rounds;
  }
  y[threadIdx.x] = rounds;
}

__global__ void leader_allocates(unsigned* next, unsigned* y) {
  const unsigned wanting = __ballot_sync(kAllLanes, threadIdx.x % 2 == 0);
  if (threadIdx.x % 2 != 0) return;
  const int leader = __ffs(wanting) - 1;
  unsigned base = 0;
  if (static_cast<int>(threadIdx.x) == leader) base = atomicAdd(next, __popc(wanting));
  base = __shfl_sync(wanting, base, leader);
  y[base + __popc(wanting & ((1u << threadIdx.x) - 1))] = threadIdx.x;
}

__global__ void inclusive_scan(int* y) {
  int sum = 1;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(kAllLanes, sum, distance);
    if (threadIdx.x >= distance) sum += before;
  }
  y[threadIdx.x] = sum;
}

// A queue of a warp in shared memory.
__global__ void queue_of_a_warp(unsigned* y) {
  __shared__ unsigned queue[32];
  __shared__ unsigned size;
  if (threadIdx.x == 0) size = 0;
  __syncwarp();
  if (threadIdx.x % 4 == 0) queue[atomicAdd(&size, 1)] = threadIdx.x;
  __syncwarp();
  const unsigned count = size;
  if (threadIdx.x < count) y[threadIdx.x] = queue[threadIdx.x];
}

// Lanes that returned take part in no barrier of a warp.
__global__ void some_return_early(float* y) {
  __shared__ float s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x >= 20) return;
  __syncwarp(0x000fffffu);
  y[threadIdx.x] = s[31 - threadIdx.x];
}

__global__ void tiles(float* y) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  float sum = 1.0f;
  for (unsigned distance = 4; distance > 0; distance /= 2)
    sum += tile.shfl_xor(sum, distance);
  tile.sync();
  if (tile.thread_rank() == 0) y[threadIdx.x / 8] = sum + cg::reduce(tile, 0.0f, cg::plus<float>());
  if (tile.thread_rank() != 0) cg::reduce(tile, 0.0f, cg::plus<float>());
}

// Each lane waits for the lock that another lane of its warp has.
__global__ void lanes_take_turns(unsigned* lock, unsigned* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      ++*count;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

struct CorrectWarps : Mistakes {
  DeviceArray<unsigned> counts = zeros<unsigned>(64);
  DeviceArray<int> numbers = zeros<int>(128);
  ~CorrectWarps() { CHECK(take_kinds().empty()); }
};

}  // namespace

TEST_SUITE_BEGIN("correct_warps");

TEST_CASE_FIXTURE(CorrectWarps, "shared memory behind warp barriers") {
  volatile_reduction<<<1, 32>>>(y.get());
  CHECK(y.host()[0] == 64.0f);
  a_part_for_each_warp<<<1, 128>>>(y.get());
  CHECK(y.host()[127] == 2.0f);
  queue_of_a_warp<<<1, 32>>>(counts.get());
  CHECK(counts.host()[7] == 28);
  some_return_early<<<1, 32>>>(y.get());
  CHECK(y.host()[0] == 31.0f);
  two_halves<<<1, 32>>>(y.get());
  CHECK(y.host()[16] == 3.0f);
}

TEST_CASE_FIXTURE(CorrectWarps, "masks that name some lanes only") {
  tail_of_an_array<<<1, 32>>>(x.get(), y.get(), 21);
  CHECK(y.host()[0] == 21.0f);
  partial_last_warp<<<1, 40>>>(y.get());
  CHECK(y.host()[39] == 8.0f);
  leader_allocates<<<1, 32>>>(counts.get(), counts.get() + 1);
  CHECK(counts.host()[0] == 16);
}

TEST_CASE_FIXTURE(CorrectWarps, "votes, matches and segments") {
  compaction<<<1, 32>>>(x.get(), y.get(), counts.get());
  CHECK(counts.host()[0] == 11);
  counts.zero();
  aggregated_by_match<<<1, 64>>>(counts.get());
  CHECK(counts.host()[0] == 13);
  segments_of_eight<<<1, 32>>>(y.get());
  CHECK(y.host()[31] == 28.0f);
  lanes_loop_on_together<<<1, 32>>>(numbers.get());
  CHECK(numbers.host()[0] == 28);
  inclusive_scan<<<1, 32>>>(numbers.get());
  CHECK(numbers.host()[31] == 32);
}

TEST_CASE_FIXTURE(CorrectWarps, "tiles, and lanes that wait for each other") {
  tiles<<<1, 64>>>(y.get());
  CHECK(y.host()[7] == 8.0f);
  counts.zero();
  lanes_take_turns<<<4, 64>>>(counts.get(), counts.get() + 1);
  CHECK(counts.host()[1] == 4 * 64);
}

TEST_SUITE_END();
