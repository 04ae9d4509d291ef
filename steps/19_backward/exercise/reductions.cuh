// Given to exercise 19: the sum of what the threads of a block know.
#pragma once

#include <cuda_runtime.h>

namespace given {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// The sum of a warp's values, for each of its lanes.
inline __device__ float warp_sum(float s) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    s += __shfl_xor_sync(kAllLanes, s, distance);
  }
  return s;
}

// The sum of a block's values, for each of its threads; NaN if it is no finite number.
inline __device__ float block_sum(float s) {
  __shared__ float of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  s = warp_sum(s);
  if (lane == 0) of_warps[warp] = s;
  __syncthreads();
  s = warp_sum(lane < warps ? of_warps[lane] : 0.0f);
  const float zero_or_nan = s - s;
  return s + zero_or_nan;
}

}  // namespace given
