// How the library's own kernels share a row among threads: how many own it, what each loads and
// stores at once, and what they add up to.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/step/dtype.h"

namespace worklog::library {
// Each source has its own: inline functions would be expanded by other rules.
namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr int kThreadsOfShortRows = 128;  // of a block with several rows
constexpr unsigned kAllLanes = 0xffffffff;

// The logits that a thread holds: few where rows are short, so that more threads have some, and at
// most what fits the 64 registers that a thread of a block of 1024 may have. Elements that are
// loaded one by one need an address each.
constexpr int kFewPerThread = 8;
template <int kCount>
constexpr int kMostPerThread = kCount > 1 ? 24 : 12;

// So many elements at once: up to 16 bytes in one access.
template <typename T, int kCount>
struct alignas(kCount * sizeof(T) < sizeof(uint4) ? kCount * sizeof(T) : sizeof(uint4)) Pack {
  T values[kCount];
};

// Whether packs may lie where each row of an array begins.
template <int kCount>
bool lies_well(const void* array, std::int64_t stride, std::size_t element) {
  const std::size_t alignment = kCount * element < sizeof(uint4) ? kCount * element : sizeof(uint4);
  return reinterpret_cast<std::uintptr_t>(array) % alignment == 0 && stride % kCount == 0;
}

template <typename Result, int kCount>
__device__ void store_as(const float* y, void* results, std::int64_t index) {
  Pack<Result, kCount> pack;
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    pack.values[i] = static_cast<Result>(y[i]);
  *reinterpret_cast<Pack<Result, kCount>*>(static_cast<Result*>(results) + index) = pack;
}

// A branch that all threads take alike costs less than three times as many kernels.
template <int kCount>
__device__ void store(const float* y, DType type, void* results, std::int64_t index) {
  switch (type) {
    case DType::kFloat32:
      return store_as<float, kCount>(y, results, index);
    case DType::kFloat16:
      return store_as<__half, kCount>(y, results, index);
    case DType::kBFloat16:
      return store_as<__nv_bfloat16, kCount>(y, results, index);
  }
}

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
