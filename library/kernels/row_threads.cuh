// How the library's own kernels share a row among threads: how many own it, and what they add up
// to.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>

namespace worklog::library {
// Each source has its own: inline functions would be expanded by other rules.
namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr int kThreadsOfShortRows = 128;  // of a block with several rows
constexpr unsigned kAllLanes = 0xffffffff;

// The logits that a thread holds: few where rows are short, so that more threads have some, and at
// most what fits the 64 registers that a thread of a block of 1024 may have, of which packs that
// are not whole need more.
constexpr int kFewPerThread = 8;
template <bool kIsWhole>
constexpr int kMostPerThread = kIsWhole ? 24 : 16;

// ---- sums ----

// Of `lanes` lanes next to each other, a power of two, that have a row in common.
__device__ float group_sum(float d, int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    d += __shfl_xor_sync(kAllLanes, d, distance);
  return d;
}

// The sum of what the warps of a row know, for each of its threads.
template <typename Sum>
__device__ Sum sum_warps(Sum of_warp) {
  __shared__ Sum of_warps[kMaxWarps];
  const int warps = blockDim.x / kWarpSize;
  if (warps == 1) return of_warp;
  const int lane = threadIdx.x % kWarpSize;
  if (lane == 0) of_warps[threadIdx.x / kWarpSize] = of_warp;
  __syncthreads();
  return group_sum(lane < warps ? of_warps[lane] : Sum{}, kWarpSize);
}

// ---- launches ----

constexpr int kShortestOfWarps = kFewPerThread * kWarpSize / 2;

// Threads that own a row, so many elements each: a power of two of lanes, or whole warps.
inline int threads_for(std::int64_t cols, int per_thread) {
  const auto threads = static_cast<unsigned>((cols + per_thread - 1) / per_thread);
  if (cols <= kShortestOfWarps) return static_cast<int>(std::bit_ceil(threads));
  return static_cast<int>((threads + kWarpSize - 1) / kWarpSize * kWarpSize);
}

struct LaunchShape {
  dim3 grid;
  dim3 block;
};

// A block for each row, or for several where a row has a warp at most.
inline LaunchShape shape_for(std::int64_t rows, int threads_of_row) {
  const int rows_of_block = threads_of_row <= kWarpSize ? kThreadsOfShortRows / threads_of_row : 1;
  return {dim3(static_cast<unsigned>((rows + rows_of_block - 1) / rows_of_block)),
          dim3(threads_of_row, rows_of_block)};
}

}  // namespace
}  // namespace worklog::library
