// Given to exercise 14: what the lanes of a warp find together, as the step has it.
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

}  // namespace given
