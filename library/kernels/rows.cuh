// What the library's own kernels know of a row of logits, and how the threads that own it combine
// that.
#pragma once

#include <cuda_runtime.h>

#include <limits>

#include "row_threads.cuh"

namespace worklog::library {
namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// The larger one, but NaN if one of them is: fmaxf would drop it.
__device__ float max_or_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

// A logit times the scale, rounded, as by whoever scales logits in an array of their own: fused
// with the difference that follows, a product beyond the largest float would not be infinite.
[[maybe_unused]] __device__ float scaled(float x, float scale) {
  return __fmul_rn(x, scale);
}

// ---- what is known of a row ----

// The maximum m of a part of a row, and d, the sum of exp(x - m). (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", section 3.1)
struct Normalizer {
  float m = kNegativeInfinity;
  float d = 0.0f;
};

// What exponentials are taken against: a part may have nothing but -inf, which must not spoil the
// others.
__device__ float origin_of(float m) {
  return m == kNegativeInfinity ? 0.0f : m;
}

// exp(x), for x up to 0. Of logits of two bytes the fast one, which is off by 2 + 1.2 |x| ulp:
// results of two bytes do not show it, those of fp32 do.
template <typename T>
__device__ float exponential(float x) {
  return sizeof(T) == sizeof(float) ? expf(x) : __expf(x);
}

// What makes exponentials of a part with the maximum m_part into those of a row with the maximum m.
__device__ float ratio_of(float m_part, float m) {
  return m_part == kNegativeInfinity ? 0.0f : expf(m_part - m);
}

// Of `lanes` lanes next to each other, a power of two, that have a row in common.
__device__ float group_max(float m, int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    m = max_or_nan(m, __shfl_xor_sync(kAllLanes, m, distance));
  return m;
}

__device__ Normalizer warp_combine(Normalizer part) {
  const float m = group_max(part.m, kWarpSize);
  return {m, group_sum(part.d * ratio_of(part.m, m), kWarpSize)};
}

// What the warps of a row know together, for each of its threads. A warp that owns a row knows it
// already.
__device__ Normalizer combine_warps(Normalizer of_warp) {
  __shared__ Normalizer of_warps[kMaxWarps];
  const int warps = blockDim.x / kWarpSize;
  if (warps == 1) return of_warp;
  const int lane = threadIdx.x % kWarpSize;
  if (lane == 0) of_warps[threadIdx.x / kWarpSize] = of_warp;
  __syncthreads();
  return warp_combine(lane < warps ? of_warps[lane] : Normalizer{});
}

}  // namespace
}  // namespace worklog::library
