// Operations of some lanes of a warp, while others do not take part, or have returned.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdint>
#include <doctest/doctest.h>
#include <ostream>

#include "simt/tests/support/device_array.h"

namespace {

namespace cg = cooperative_groups;

constexpr unsigned kLowerHalf = 0x0000ffff;
constexpr unsigned kUpperHalf = 0xffff0000;

// ---- a part of the warp in a branch, and a store of all behind it ----

__global__ void upper_half_shuffles(const float* x, float* y) {
  const unsigned lane = threadIdx.x;
  float sum = x[lane];
  if (lane >= 16) sum += __shfl_xor_sync(kUpperHalf, sum, 2);
  y[lane] = sum;
}

__global__ void lower_half_shuffles(const float* x, float* y) {
  const unsigned lane = threadIdx.x;
  float sum = x[lane];
  if (lane < 16) sum += __shfl_xor_sync(kLowerHalf, sum, 2);
  y[lane] = sum;
}

__global__ void lower_half_reduces(const float* x, float* y) {
  const unsigned lane = threadIdx.x;
  float sum = x[lane];
  if (lane < 16) {
    for (int distance = 8; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(kLowerHalf, sum, distance);
  }
  y[lane] = sum;
}

__global__ void upper_half_syncs(const float* x, float* y) {
  const unsigned lane = threadIdx.x;
  float sum = x[lane];
  if (lane >= 16) {
    sum += x[lane - 16];
    __syncwarp(kUpperHalf);
    sum *= x[lane - 8];
  }
  y[lane] = sum;
}

__global__ void those_who_are_here(const float* x, float* y) {
  const unsigned lane = threadIdx.x;
  float sum = x[lane];
  if (lane % 3 == 0) {
    const unsigned here = __activemask();
    sum += __shfl_sync(here, sum, __ffs(here) - 1);
    sum += __shfl_sync(here, sum, 31 - __clz(here));
  }
  y[lane] = sum;
}

__global__ void tile_reduces(const float* x, float* y) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  float sum = x[threadIdx.x];
  if (tile.meta_group_rank() == 1) sum = cg::reduce(tile, sum, cg::plus<float>());
  y[threadIdx.x] = sum;
}

__global__ void both_halves_part(const float* x, float* y) {
  const unsigned lane = threadIdx.x;
  float sum = x[lane];
  if (lane < 16) {
    if (lane < 4) sum += x[lane + 32];
    sum *= x[lane + 64];
  } else {
    if (lane < 20) sum -= x[lane + 32];
    sum += __shfl_xor_sync(kUpperHalf, sum, 2);
    if (lane < 24) sum -= x[lane + 32];
    sum += __shfl_xor_sync(kUpperHalf, sum, 4);
    sum /= x[lane + 64];
  }
  y[lane] = sum;
}

// Each round one lane less.
__global__ void fewer_each_round(const float* x, float* y) {
  const unsigned lane = threadIdx.x;
  float sum = 0.0f;
  for (unsigned i = 0; i < lane; ++i) {
    sum += x[i];
    sum += __shfl_down_sync(~0u << (i + 1), sum, 0);
  }
  y[lane] = sum;
}

__device__ __noinline__ float shuffled(float value, unsigned mask) {
  return value + __shfl_xor_sync(mask, value, 1);
}

__global__ void upper_half_calls(const float* x, float* y) {
  const unsigned lane = threadIdx.x;
  float sum = x[lane];
  if (lane >= 16) sum = shuffled(shuffled(sum, kUpperHalf), kUpperHalf);
  y[lane] = sum;
}

__global__ void upper_half_goes_on(const float* x, float* y, int rounds) {
  const unsigned lane = threadIdx.x;
  float sum = x[lane];
  if (lane >= 16) {
    for (int i = 0; i < rounds; ++i) {
      if (lane % 2 == 0) sum += x[lane];
      sum = __shfl_xor_sync(kUpperHalf, sum, 1);
    }
  }
  y[lane] = sum;
}

// ---- lanes that have returned ----

__global__ void lower_half_returns(const float* x, float* y, int rounds) {
  const unsigned lane = threadIdx.x;
  if (lane < 16) return;
  float sum = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    if (lane % 2 == 0) sum += x[lane];
    sum = __shfl_xor_sync(kUpperHalf, sum, 1);
    sum += x[32 + lane];
  }
  y[lane] = sum;
}

__global__ void add_and_return(const float* x, float* y, int rounds) {
  const unsigned lane = threadIdx.x;
  if (lane < 16) {
    atomicAdd(&y[lane], 1.0f);
    return;
  }
  float sum = 0.0f;
  for (int i = 0; i < rounds; ++i)
    sum += __shfl_xor_sync(kUpperHalf, x[lane], 1);
  y[lane] = sum;
}

// Those who have returned take no part in what all others do.
__global__ void return_one_by_one(const float* x, float* y) {
  const unsigned lane = threadIdx.x;
  float sum = 0.0f;
  for (unsigned i = 0; i < 31; ++i) {
    if (i == lane) return;
    sum += x[i * 32 + lane];
    sum += __shfl_down_sync(~0u << (i + 1), sum, 0);
  }
  y[lane] = sum;
}

__global__ void return_before_barriers(const float* x, float* y, int rounds) {
  const unsigned lane = threadIdx.x;
  if (lane < 16) return;
  float sum = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    if (lane % 2 == 0) sum += x[lane];
    __syncthreads();
    sum += __shfl_xor_sync(kUpperHalf, sum, 1);
    sum += x[32 + lane];
  }
  y[lane] = sum;
}

// ---- parts of a warp that shuffle side by side ----

__global__ void tiles_shuffle(const float* x, float* y) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  float sum = x[threadIdx.x];
  for (int distance = 4; distance > 0; distance /= 2)
    sum += tile.shfl_down(sum, distance);
  y[threadIdx.x] = sum;
}

__global__ void halves_shuffle(const float* x, float* y) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  y[threadIdx.x] = tile.shfl(x[threadIdx.x], 0);
}

__global__ void masks_shuffle(const float* x, float* y) {
  const unsigned mask = 0xffu << (threadIdx.x & 24);
  float sum = x[threadIdx.x];
  for (int distance = 4; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(mask, sum, distance);
  y[threadIdx.x] = sum;
}

__global__ void tiles_reduce(const float* x, float* y) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  y[threadIdx.x] = cg::reduce(tile, x[threadIdx.x], cg::plus<float>());
}

__global__ void tiles_vote(const float* x, float* y) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  y[threadIdx.x] = static_cast<float>(tile.ballot(x[threadIdx.x] > 10.0f));
}

// Each tile makes one round more than the one before it.
__global__ void tiles_leave_loop(const float* x, float* y, int rounds) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  float sum = x[threadIdx.x];
  for (int i = 0; i < rounds + static_cast<int>(threadIdx.x / 8); ++i)
    sum += tile.shfl_xor(sum, 1);
  y[threadIdx.x] = sum;
}

__global__ void tiles_take_turns(const float* x, float* y) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  float sum = x[threadIdx.x];
  for (unsigned i = 0; i < 4; ++i)
    if (threadIdx.x / 8 == i) sum += tile.shfl_xor(sum, 1);
  y[threadIdx.x] = sum;
}

__global__ void tiles_part(const float* x, float* y) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  float sum = x[threadIdx.x];
  if (threadIdx.x < 16) {
    sum += tile.shfl_xor(sum, 1);
  } else {
    sum *= tile.shfl_xor(sum, 2);
  }
  y[threadIdx.x] = sum;
}

// Nothing in the code lets those meet who stay, before they shuffle.
__global__ void rest_shuffles(const float* x, float* y) {
  const unsigned lane = threadIdx.x;
  float sum = x[lane];
  if (lane % 2 == 0) {
    sum += x[lane + 32];
    if (lane % 4 == 0) return;
    sum *= x[lane + 64];
  }
  sum += __shfl_xor_sync(0xeeeeeeee, sum, 0);
  y[lane] = sum;
}

struct Requests {
  std::uint64_t loads;
  std::uint64_t stores;
  bool operator==(const Requests&) const = default;
};

std::ostream& operator<<(std::ostream& to, const Requests& requests) {
  return to << requests.loads << " loads, " << requests.stores << " stores";
}

// Of a kernel that one warp runs.
template <typename Kernel, typename... Arguments>
Requests requests_of(Kernel kernel, Arguments... arguments) {
  const auto x = zeros<float>(32 * 32);
  const auto y = zeros<float>(32);
  kernel<<<1, 32>>>(x.get(), y.get(), arguments...);
  const simt::Counters counted = simt::last_launch();
  return {counted.global_loads.requests, counted.global_stores.requests};
}

template <typename Kernel, typename... Arguments>
std::uint64_t shuffles_of(Kernel kernel, Arguments... arguments) {
  requests_of(kernel, arguments...);
  return simt::last_launch().shuffles;
}

}  // namespace

TEST_SUITE_BEGIN("parts_of_warps");

TEST_CASE("lanes that skip an operation meet the others behind it") {
  CHECK(requests_of(upper_half_shuffles) == Requests{1, 1});
  CHECK(requests_of(lower_half_shuffles) == Requests{1, 1});
  CHECK(requests_of(lower_half_reduces) == Requests{1, 1});
  CHECK(requests_of(upper_half_syncs) == Requests{3, 1});
  CHECK(requests_of(those_who_are_here) == Requests{1, 1});
  CHECK(requests_of(tile_reduces) == Requests{1, 1});
}

TEST_CASE("both may part once more meanwhile") {
  CHECK(requests_of(both_halves_part) == Requests{1 + 2 + 3, 1});
}

TEST_CASE("lanes that leave a loop wait for those who operate in its later rounds") {
  CHECK(requests_of(fewer_each_round) == Requests{31, 1});
}

TEST_CASE("the operation may stand in a function that is called") {
  CHECK(requests_of(upper_half_calls) == Requests{1, 1});
}

TEST_CASE("others may operate often before they come") {
  CHECK(requests_of(upper_half_goes_on, 20000) == Requests{20001, 1});
}

TEST_CASE("lanes that have returned are not waited for") {
  CHECK(requests_of(lower_half_returns, 20000) == Requests{40000, 1});
  CHECK(requests_of(add_and_return, 20000) == Requests{20000, 1});
  CHECK(requests_of(return_one_by_one) == Requests{31, 1});
}

TEST_CASE("nor at barriers") {
  const ExpectedFindings missed;
  CHECK(requests_of(return_before_barriers, 200) == Requests{400, 1});
}

// Measured on an H200, the executed instructions of sass__inst_executed_per_opcode: SHFL 3, 1, at
// most 4 and at most 5; VOTE 4, for it makes votes with different masks one by one.
TEST_CASE("tiles that stand at one shuffle make one instruction of it") {
  CHECK(shuffles_of(tiles_shuffle) == 3);
  CHECK(shuffles_of(halves_shuffle) == 1);
  CHECK(shuffles_of(masks_shuffle) == 3);
  CHECK(shuffles_of(tiles_reduce) == 3);
  tiles_vote<<<1, 32>>>(zeros<float>(32).get(), zeros<float>(32).get());
  CHECK(simt::last_launch().votes == 4);
}

TEST_CASE("tiles that have left a loop no longer shuffle with the others") {
  CHECK(shuffles_of(tiles_leave_loop, 1) == 4);
  CHECK(shuffles_of(tiles_leave_loop, 20000) == 20003);
}

TEST_CASE("tiles that part make several instructions of their shuffles") {
  CHECK(shuffles_of(tiles_take_turns) == 4);
  CHECK(shuffles_of(tiles_part) == 2);
}

TEST_CASE("lanes that have parted make one shuffle if one mask names them") {
  CHECK(shuffles_of(rest_shuffles) == 1);
  CHECK(simt::findings().empty());
}

TEST_SUITE_END();
