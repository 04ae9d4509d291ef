// Exercise 14: one exchange
//
// A block holds a row in registers, up to 16 columns per thread. Its warps exchange their maxima
// and then their sums: twice they wait for each other, where those of step 14 wait once.

#include <cstdint>

#include "common/exercise/exercise.h"
#include "reductions.cuh"

namespace {

using namespace given;

// The columns that a thread holds at most.
constexpr int kPerThread = 16;

// ---- your part begins ----

// What is known of a warp's columns, or of a row's: the maximum m, and d, the sum of exp(x - m).
struct Normalizer {
  float m;
  float d;
};

// The row's pair, for each thread of a block, from those of its warps.
__device__ Normalizer block_combine(Normalizer mine) {
  __shared__ float warp_m[kMaxWarps], warp_d[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  if (lane == 0) {
    warp_m[warp] = mine.m;
    warp_d[warp] = mine.d;
  }
  __syncthreads();
  const float m = lane < warps ? warp_m[lane] : kNegativeInfinity;
  const float row_m = warp_max(m);
  const float d = lane < warps ? warp_d[lane] * expf(m - row_m) : 0.0f;
  return {row_m, warp_sum(d)};
}

// What a thread holds of its row's logits becomes what it holds of the results. A warp takes its
// exponentials against its own maximum, and rescales them once it knows the row's.
__device__ void softmax_of(float (&held)[kPerThread]) {
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    m = fmaxf(m, held[i]);  // drops a NaN, which its exponential brings back
  }
  m = warp_max(m);
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    held[i] = expf(held[i] - origin);
    d += held[i];
  }
  const Normalizer row = block_combine({m, warp_sum(d)});
  const float rescale = expf(m - row.m);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    held[i] = held[i] * rescale / row.d;
  }
}

// ---- your part ends ----

__global__ void softmax(const float* logits, float* probabilities, int cols) {
  const float* x = logits + static_cast<std::int64_t>(blockIdx.x) * cols;
  float* y = probabilities + static_cast<std::int64_t>(blockIdx.x) * cols;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);

  float held[kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    held[i] = col < cols ? x[col] : kNegativeInfinity;
  }
  softmax_of(held);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    if (col < cols) y[col] = held[i];
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities,
                                      static_cast<int>(problem.cols));
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch,
                 {.rows = 64,
                  .cols = 1000,
                  .counters = {"loads_per_element", "stores_per_element", "block_barriers",
                               "shuffles", "shared_load_wavefronts", "shared_store_wavefronts"},
                  .block_size = 128});
