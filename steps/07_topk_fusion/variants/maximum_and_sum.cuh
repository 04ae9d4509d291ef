// The two reductions of safe softmax: first the maximum of a row, then, once all threads know it,
// the sum of exp(x - maximum).
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", algorithm 2)
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "row_tiles.cuh"

namespace topk {

__device__ inline float larger(float a, float b) {
  return fmaxf(a, b);  // drops a NaN, which its exponential brings back into the sum
}

__device__ inline float sum(float a, float b) {
  return a + b;
}

// Every thread returns the combination of all threads of the block.
template <float (*combine)(float, float)>
__device__ float block_reduce(float mine, float identity) {
  __shared__ float of_warp[kMaxWarps], of_block;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = combine(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  }
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = lane < warps ? of_warp[lane] : identity;
    for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
      mine = combine(mine, __shfl_xor_sync(kAllLanes, mine, distance));
    }
    if (lane == 0) of_block = mine;
  }
  __syncthreads();
  return of_block;
}

template <typename T>
__device__ float row_maximum(const RowShare<T>& row) {
  float m = row.load_edge();
  row.for_each_tile([&](const Tile<T>& tile, std::int64_t, std::int64_t) {
    const T* values = reinterpret_cast<const T*>(&tile);
#pragma unroll
    for (int i = 0; i < kPerTile; ++i) {
      m = larger(m, static_cast<float>(values[i]));
    }
  });
  return block_reduce<larger>(m, kNegativeInfinity);
}

// Of a tile, in a row with maximum m. A row of -inf only, or with +inf, comes out as NaN.
template <typename T>
__device__ float sum_of_exponentials(const Tile<T>& tile, float m) {
  const T* values = reinterpret_cast<const T*>(&tile);
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    d += expf(static_cast<float>(values[i]) - m);
  }
  return d;
}

}  // namespace topk
