// Given to exercise 09: the reduction of one number per thread over a block, as step 09 has it.
#pragma once

#include <cuda_runtime.h>

#include <limits>

namespace given {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

struct Max {
  static constexpr float kIdentity = -std::numeric_limits<float>::infinity();
  __device__ float operator()(float a, float b) const {
    return fmaxf(a, b);  // drops a NaN, which its exponential brings back
  }
};

struct Sum {
  static constexpr float kIdentity = 0.0f;
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Every lane returns the combination of all 32.
template <typename Operation>
inline __device__ float warp_reduce(float mine, Operation combine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = combine(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  }
  return mine;
}

// Every thread returns the combination of all threads of the block. Each operation is a function of
// its own with shared memory of its own, so that no barrier is needed between two of them.
template <typename Operation>
inline __device__ float block_reduce(float mine, Operation combine) {
  __shared__ float warp_result[kMaxWarps], row_result;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine, combine);
  if (lane == 0) warp_result[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = warp_reduce(lane < warps ? warp_result[lane] : Operation::kIdentity, combine);
    if (lane == 0) row_result = mine;
  }
  __syncthreads();
  return row_result;
}

}  // namespace given
