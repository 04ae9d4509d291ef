#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "bench/fill.h"
#include "common/step/check_launch.h"

namespace worklog::bench {

namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 65536;
constexpr float kStandardDeviation = 3.0f;
constexpr float kTwoPi = 6.2831853f;

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), figure 14.
__device__ std::uint64_t splitmix(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Box and Muller, "A note on the generation of random normal deviates" (1958).
__device__ float normal(std::uint64_t index) {
  constexpr float kUnit = 1.0f / 4294967296.0f;
  const std::uint64_t bits = splitmix(index);
  const float above_zero = (static_cast<float>(bits >> 32) + 0.5f) * kUnit;
  const float angle = kTwoPi * static_cast<float>(bits & 0xffffffff) * kUnit;
  return sqrtf(-2.0f * logf(above_zero)) * cosf(angle);
}

template <typename T>
__global__ void fill(T* values, std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    values[i] = static_cast<T>(kStandardDeviation * normal(i));
  }
}

}  // namespace

template <typename T>
void fill_with_logits(T* values, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  const auto blocks =
      static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, kMaxBlocks));
  fill<<<blocks, kThreads, 0, stream>>>(values, count);
  check_launch("fill", blocks, kThreads);
}

template void fill_with_logits(float*, std::int64_t, cudaStream_t);
template void fill_with_logits(__half*, std::int64_t, cudaStream_t);
template void fill_with_logits(__nv_bfloat16*, std::int64_t, cudaStream_t);

}  // namespace worklog::bench
