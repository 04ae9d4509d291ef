// Step 13, variant: log-softmax
//
// The logarithms of the softmax, x - m - log d, of short rows. The logits stay as they are until d
// is known, and exponentials are needed for d alone, so that fast ones will do: what they are off
// is little beside log d.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

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

// What C++ has no name for.

// 2^x, to 2 ulp; 0 where that is too small for a normal float.
__device__ float exp2_approx(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

// The larger one, but NaN if one of them is: fmaxf would drop it.
__device__ float max_or_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

// exp(x - m), as the special function units take it.
__device__ float exponential(float x, float m) {
  constexpr float kLog2E = 1.44269504f;
  return exp2_approx((x - m) * kLog2E);
}

// The largest value of the kLanes lanes that own a row.
template <int kLanes>
__device__ float max_of_lanes(float m) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    m = max_or_nan(m, __shfl_xor_sync(kAllLanes, m, distance));
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
    log_softmax(const T* logits, T* log_probabilities, std::int64_t rows, int cols) {
  static_assert(kWarpSize % kLanes == 0, "a row's lanes are of one warp");
  static_assert(kVectors * kWidth <= kMaxPerLane, "a lane's part of the row fits in registers");
  const std::int64_t rows_a_block = blockDim.x / kLanes;
  const std::int64_t row = blockIdx.x * rows_a_block + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const int vectors =
      row < rows ? cols / kWidth : 0;  // lanes without a row shuffle with the others
  const auto* x = reinterpret_cast<const Vector<T, kWidth>*>(logits + row * cols);
  auto* y = reinterpret_cast<Vector<T, kWidth>*>(log_probabilities + row * cols);

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
      m = max_or_nan(m, static_cast<float>(tile[i].values[j]));
    }
  }
  m = max_of_lanes<kLanes>(m);

  const float origin = m == kNegativeInfinity ? 0.0f : m;
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      d += exponential(static_cast<float>(tile[i].values[j]), origin);
    }
  }
  const float log_d = logf(sum_of_lanes<kLanes>(d));

#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      tile[i].values[j] = static_cast<T>(static_cast<float>(tile[i].values[j]) - m - log_d);
    }
    if (lane + i * kLanes < vectors) y[lane + i * kLanes] = tile[i];
  }
}

// The first kernel of a chain that holds the row: vectors double to 2 (single
// elements to 4), then lanes to a whole warp, then vectors to all that a lane can hold.
template <typename T, int kWidth, int kLanes = 1, int kVectors = 1>
void launch_narrowest(const worklog::LogSoftmax<T>& problem, cudaStream_t stream) {
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
  log_softmax<T, kWidth, kLanes, kVectors><<<grid, block, 0, stream>>>(
      problem.logits, problem.log_probabilities, problem.rows, static_cast<int>(problem.cols));
  worklog::check_launch("log_softmax", grid, block);
}

template <typename T>
bool is_aligned(const T* first_row, std::int64_t cols, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(first_row) % bytes == 0 && cols * sizeof(T) % bytes == 0;
}

template <typename T>
void launch(const worklog::LogSoftmax<T>& problem, cudaStream_t stream) {
  constexpr std::size_t kVectorBytes = 16;
  const bool by_vectors = is_aligned(problem.logits, problem.cols, kVectorBytes) &&
                          is_aligned(problem.log_probabilities, problem.cols, kVectorBytes);
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
                      .longer_rows = "15_row_in_shared_memory/log_softmax",
                      .several_rows_a_block = true});
