// Given to exercise 21: (m, d) and its reduction over a block, as step 05 has them.
#pragma once

#include <cuda_runtime.h>

#include <limits>

namespace given {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

// What is known of a row so far: its maximum m, and d, the sum of exp(x - m).
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 3.1)
struct Normalizer {
  float m = kNegativeInfinity;
  float d = 0.0f;
};

// The pair of what `a` and `b` are of, taken together; Normalizer{} changes nothing. A NaN or +inf
// on either side makes d NaN, and with it the row.
inline __device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float m = a.m > b.m ? a.m : b.m;              // not fmaxf, which drops a NaN
  if (m == kNegativeInfinity) return {m, a.d + b.d};  // -inf - -inf would be NaN
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

// Every lane returns the combination of all 32: first the maximum, so that a lane rescales once.
inline __device__ Normalizer warp_reduce(Normalizer mine) {
  float m = mine.m;
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, distance));  // drops a NaN, but d keeps it
  }
  float d = m == kNegativeInfinity ? mine.d : mine.d * expf(mine.m - m);
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    d += __shfl_xor_sync(kAllLanes, d, distance);
  }
  return {m, d};
}

// Every thread returns the combination of all threads of the block.
inline __device__ Normalizer block_reduce(Normalizer mine) {
  __shared__ float warp_m[kMaxWarps], warp_d[kMaxWarps], row_m, row_d;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine);
  if (lane == 0) {
    warp_m[warp] = mine.m;
    warp_d[warp] = mine.d;
  }
  __syncthreads();
  if (warp == 0) {
    mine = warp_reduce(lane < warps ? Normalizer{warp_m[lane], warp_d[lane]} : Normalizer{});
    if (lane == 0) {
      row_m = mine.m;
      row_d = mine.d;
    }
  }
  __syncthreads();
  return {row_m, row_d};
}

}  // namespace given
