#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "bench/fill.h"
#include "common/step/check_launch.h"

namespace worklog::bench {

namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 65536;
constexpr float kStandardDeviation = 3.0f;
constexpr float kTwoPi = 6.2831853f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

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

// 1, and the numbers of the type that follow it.
__device__ float above_one(const float*, unsigned ulps) {
  return __uint_as_float(__float_as_uint(1.0f) + ulps);
}
__device__ float above_one(const __half*, unsigned ulps) {
  return __half2float(__ushort_as_half(static_cast<unsigned short>(0x3c00 + ulps)));
}
__device__ float above_one(const __nv_bfloat16*, unsigned ulps) {
  return __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(0x3f80 + ulps)));
}

template <typename T>
__device__ float logit_of(Values values, std::uint64_t index, std::uint64_t cols, int k) {
  constexpr float kRange = 8.0f;  // of a sorted row: from -4 to 4
  const float in_row = static_cast<float>(index % cols) / static_cast<float>(cols);
  switch (values) {
    case Values::kNormal:
      return kStandardDeviation * normal(index);
    case Values::kAscending:
      return kRange * (in_row - 0.5f);
    case Values::kDescending:
      return kRange * (0.5f - in_row);
    case Values::kEqual:
      return 1.0f;
    case Values::kTwo:
      return splitmix(index) % 2 == 0 ? 1.0f : 2.0f;
    case Values::kAdjacent:
      return above_one(static_cast<const T*>(nullptr), splitmix(index) % 3);
    case Values::kFewFinite:
      const bool is_finite = splitmix(index) % cols < static_cast<std::uint64_t>(k);
      return is_finite ? normal(index) : -kInfinity;
  }
  return 0.0f;
}

template <typename T>
__global__ void fill(T* logits, std::int64_t count, std::int64_t cols, int k, Values values) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    logits[i] = static_cast<T>(logit_of<T>(values, i, cols, k));
  }
}

}  // namespace

template <typename T>
void fill_with_logits(T* logits, std::int64_t count, cudaStream_t stream) {
  fill_with_logits(logits, 1, count, 0, Values::kNormal, stream);
}

template <typename T>
void fill_with_logits(T* logits, std::int64_t rows, std::int64_t cols, int k, Values values,
                      cudaStream_t stream) {
  const std::int64_t count = rows * cols;
  if (count == 0) return;
  const auto blocks =
      static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, kMaxBlocks));
  fill<<<blocks, kThreads, 0, stream>>>(logits, count, cols, k, values);
  check_launch("fill", blocks, kThreads);
}

template void fill_with_logits(float*, std::int64_t, cudaStream_t);
template void fill_with_logits(__half*, std::int64_t, cudaStream_t);
template void fill_with_logits(__nv_bfloat16*, std::int64_t, cudaStream_t);
template void fill_with_logits(float*, std::int64_t, std::int64_t, int, Values, cudaStream_t);
template void fill_with_logits(__half*, std::int64_t, std::int64_t, int, Values, cudaStream_t);
template void fill_with_logits(__nv_bfloat16*, std::int64_t, std::int64_t, int, Values,
                               cudaStream_t);

}  // namespace worklog::bench
