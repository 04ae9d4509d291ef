// The parts of a right softmax, a block per row, for the kernels here that get only one of them
// wrong.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "tests/wrong/kernels/wrong_kernel.h"

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

struct Normalizer {
  float m = kNegativeInfinity;
  float d = 0.0f;
};

__device__ inline Normalizer combine(Normalizer a, Normalizer b) {
  const float m = a.m > b.m ? a.m : b.m;
  if (m == kNegativeInfinity) return {m, a.d + b.d};
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

// What this thread knows of its columns.
__device__ inline Normalizer thread_normalizer(const float* x, std::int64_t cols) {
  Normalizer mine;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = combine(mine, {x[col], 1.0f});
  }
  return mine;
}

__device__ inline Normalizer warp_reduce(Normalizer mine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    const Normalizer other{__shfl_xor_sync(kAllLanes, mine.m, distance),
                           __shfl_xor_sync(kAllLanes, mine.d, distance)};
    mine = combine(mine, other);
  }
  return mine;
}

__device__ inline Normalizer block_reduce(Normalizer mine) {
  __shared__ float warp_m[kMaxWarps], warp_d[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine);
  if (lane == 0) {
    warp_m[warp] = mine.m;
    warp_d[warp] = mine.d;
  }
  __syncthreads();
  mine = lane < warps ? Normalizer{warp_m[lane], warp_d[lane]} : Normalizer{};
  __syncthreads();
  return warp_reduce(mine);
}

__device__ inline void write_probabilities(const float* x, float* y, std::int64_t cols,
                                           Normalizer row) {
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = expf(x[col] - row.m) / row.d;
  }
}
