// Given to exercise 20: what the threads of a block find together.
#pragma once

#include <cuda_runtime.h>

#include <limits>

namespace given {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// The largest value of a warp, for each of its lanes.
inline __device__ float warp_max(float m) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, distance));  // drops a NaN, but d keeps it
  }
  return m;
}

// The sum of a warp's values, for each of its lanes.
inline __device__ float warp_sum(float d) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    d += __shfl_xor_sync(kAllLanes, d, distance);
  }
  return d;
}

// The largest value of a block, for each of its threads.
inline __device__ float block_max(float m) {
  __shared__ float of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  m = warp_max(m);
  if (lane == 0) of_warps[warp] = m;
  __syncthreads();
  return warp_max(lane < warps ? of_warps[lane] : kNegativeInfinity);
}

// The sum of a block's values, for each of its threads.
inline __device__ float block_sum(float d) {
  __shared__ float of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  d = warp_sum(d);
  if (lane == 0) of_warps[warp] = d;
  __syncthreads();
  return warp_sum(lane < warps ? of_warps[lane] : 0.0f);
}

}  // namespace given
