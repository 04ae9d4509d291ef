// Step 13, variant: plain difference
//
// x - m is rounded to a float, and d is one float. The accesses are the same: what separates the
// two in time is what exactness costs, and in error what it is worth.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxThreads = 1024;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// The logits that a lane holds at most: the 64 registers that a thread of a block of 1024 may have
// hold no more.
constexpr int kMaxPerLane = 32;
constexpr std::int64_t kMaxCols = kMaxPerLane * kWarpSize;

// exp(x - m). A half has too few digits to show what a fast exponential drops.
template <typename T>
__device__ float exponential_of_difference(float x, float m) {
  if constexpr (std::is_same_v<T, float>) {
    return expf(x - m);
  } else {
    return __expf(x - m);
  }
}

// e / d, given 1 / d: the product with the reciprocal, corrected by what it is off.
__device__ float divide(float e, float d, float reciprocal) {
  const float quotient = e * reciprocal;
  const float rest = fmaf(-quotient, d, e);
  return fmaf(rest, reciprocal, quotient);
}

// The largest value of the kLanes lanes that own a row.
template <int kLanes>
__device__ float max_of_lanes(float m) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, distance));  // drops a NaN, but d keeps it
  }
  return m;
}

template <int kLanes>
__device__ float sum_of_lanes(float d) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    d += __shfl_xor_sync(kAllLanes, d, distance);
  }
  return d;
}

// What a lane loads or stores at once: 16 bytes where rows begin and end at multiples of 16 bytes,
// else an element.
template <typename T, int kWidth>
struct alignas(kWidth * sizeof(T)) Vector {
  T values[kWidth];
};

template <typename T, int kWidth>
__device__ Vector<T, kWidth> nothing() {
  Vector<T, kWidth> vector;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) {
    vector.values[i] = static_cast<T>(kNegativeInfinity);
  }
  return vector;
}

// kLanes lanes own a row, of which each holds kVectors vectors: those that lie kLanes apart, so
// that lanes side by side load what lies side by side.
template <typename T, int kWidth, int kLanes, int kVectors>
__global__ void __launch_bounds__(kMaxThreads)
    softmax(const T* logits, T* probabilities, std::int64_t rows, int cols) {
  static_assert(kWarpSize % kLanes == 0, "a row's lanes are of one warp");
  static_assert(kVectors * kWidth <= kMaxPerLane, "a lane's part of the row fits in registers");
  constexpr int kPerLane = kVectors * kWidth;
  const std::int64_t rows_a_block = blockDim.x / kLanes;
  const std::int64_t row = blockIdx.x * rows_a_block + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const int vectors =
      row < rows ? cols / kWidth : 0;  // lanes without a row shuffle with the others
  const auto* x = reinterpret_cast<const Vector<T, kWidth>*>(logits + row * cols);
  auto* y = reinterpret_cast<Vector<T, kWidth>*>(probabilities + row * cols);

  Vector<T, kWidth> tile[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    tile[i] = lane + i * kLanes < vectors ? x[lane + i * kLanes] : nothing<T, kWidth>();
  }
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      m = fmaxf(m, static_cast<float>(tile[i].values[j]));
    }
  }
  m = max_of_lanes<kLanes>(m);

  float e[kPerLane];
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    e[i] = exponential_of_difference<T>(static_cast<float>(tile[i / kWidth].values[i % kWidth]), m);
    d += e[i];
  }
  d = sum_of_lanes<kLanes>(d);
  const float reciprocal = 1.0f / d;

#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      tile[i].values[j] = static_cast<T>(divide(e[i * kWidth + j], d, reciprocal));
    }
    if (lane + i * kLanes < vectors) y[lane + i * kLanes] = tile[i];
  }
}

// The first kernel of a chain that holds the row: vectors double to 2 (single
// elements to 4), then lanes to a whole warp, then vectors to all that a lane can hold.
template <typename T, int kWidth, int kLanes = 1, int kVectors = 1>
void launch_narrowest(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  constexpr int kVectorsFirst = kWidth == 1 ? 4 : 2;
  if constexpr (kLanes * kVectors * kWidth < kMaxCols) {
    if (problem.cols > kLanes * kVectors * kWidth) {
      constexpr bool kMoreLanes = kVectors >= kVectorsFirst && kLanes < kWarpSize;
      constexpr int kNextLanes = kMoreLanes ? 2 * kLanes : kLanes;
      constexpr int kNextVectors = kMoreLanes ? kVectors : 2 * kVectors;
      launch_narrowest<T, kWidth, kNextLanes, kNextVectors>(problem, stream);
      return;
    }
  }
  const std::int64_t rows_a_block = problem.block_size / kLanes;
  const dim3 grid(static_cast<unsigned>((problem.rows + rows_a_block - 1) / rows_a_block));
  const dim3 block(problem.block_size);
  softmax<T, kWidth, kLanes, kVectors><<<grid, block, 0, stream>>>(
      problem.logits, problem.probabilities, problem.rows, static_cast<int>(problem.cols));
  worklog::check_launch("softmax", grid, block);
}

template <typename T>
bool is_aligned(const T* first_row, std::int64_t cols, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(first_row) % bytes == 0 && cols * sizeof(T) % bytes == 0;
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  constexpr std::size_t kVectorBytes = 16;
  const bool by_vectors = is_aligned(problem.logits, problem.cols, kVectorBytes) &&
                          is_aligned(problem.probabilities, problem.cols, kVectorBytes);
  if (by_vectors) {
    launch_narrowest<T, kVectorBytes / sizeof(T)>(problem, stream);
  } else {
    launch_narrowest<T, 1>(problem, stream);
  }
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "13_row_in_a_warp",
                      .loads = {1},
                      .stores = {1},
                      .max_cols = [](std::size_t, int) { return kMaxCols; },
                      .longer_rows = "14_row_in_registers",
                      .several_rows_a_block = true});
