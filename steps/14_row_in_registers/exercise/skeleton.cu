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

// The largest value of a block, for each of its threads.
__device__ float block_max(float m) {
  __shared__ float warp_m[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  m = warp_max(m);
  if (lane == 0) warp_m[warp] = m;
  __syncthreads();
  return warp_max(lane < warps ? warp_m[lane] : kNegativeInfinity);
}

// The sum of a block's values, for each of its threads.
__device__ float block_sum(float d) {
  __shared__ float warp_d[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  d = warp_sum(d);
  if (lane == 0) warp_d[warp] = d;
  __syncthreads();
  return warp_sum(lane < warps ? warp_d[lane] : 0.0f);
}

// What a thread holds of its row's logits becomes what it holds of the results.
__device__ void softmax_of(float (&held)[kPerThread]) {
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    m = fmaxf(m, held[i]);  // drops a NaN, which its exponential brings back
  }
  m = block_max(m);
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    held[i] = expf(held[i] - m);
    d += held[i];
  }
  d = block_sum(d);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    held[i] /= d;
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
