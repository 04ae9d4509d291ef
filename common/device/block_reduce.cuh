/// \file
/// The reduction of one number a thread over a warp and a block, with any operation that does not
/// mind the order: what step 05 teaches for (m, d), for the steps from 08 on.
#pragma once

#include <cuda_runtime.h>

#include "common/device/block_shape.cuh"

namespace worklog::device {

/// The larger of two numbers, for warp_reduce() and block_reduce().
struct Max {
  static constexpr float kIdentity = kNegativeInfinity;  ///< changes no number
  /// Commutative and associative.
  __device__ __forceinline__ float operator()(float a, float b) const {
    return fmaxf(a, b);  // drops a NaN, which its exponential brings back
  }
};

/// The sum of two numbers, for warp_reduce() and block_reduce().
struct Sum {
  static constexpr float kIdentity = 0.0f;  ///< changes no number
  /// Commutative; associative up to rounding.
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};

/// Every lane returns the combination of all 32, which must all call this.
template <typename Operation>
__device__ __forceinline__ float warp_reduce(float mine, Operation combine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = combine(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  }
  return mine;
}

/// Every thread returns the combination of all threads of the block, which must all call this; the
/// block has a multiple of 32. Each operation is a function
/// of its own with shared memory of its own, so that no barrier is needed between two of them. The
/// same operation twice needs one in between.
template <typename Operation>
__device__ __forceinline__ float block_reduce(float mine, Operation combine) {
  __shared__ float warp_result[kMaxWarps], block_result;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine, combine);
  if (lane == 0) warp_result[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = warp_reduce(lane < warps ? warp_result[lane] : Operation::kIdentity, combine);
    if (lane == 0) block_result = mine;
  }
  __syncthreads();
  return block_result;
}

}  // namespace worklog::device
