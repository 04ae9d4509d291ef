// Exercise 15: what waits
//
// A block holds a row in registers as far as they reach, eight columns a thread. What they cannot
// hold is to wait in shared memory, copied there without passing through a register. An element at
// a time does for that, so that rows may begin anywhere.

#include <cuda_pipeline.h>

#include <cstdint>

#include "common/exercise/exercise.h"
#include "reductions.cuh"

namespace {

using namespace given;

// The columns that a thread holds in registers.
constexpr int kPerThread = 8;

// ---- your part begins ----

// Bytes of dynamic shared memory for a block of so many threads.
int waiting_bytes(int, int) {
  return 0;
}

// What registers cannot hold is read from global memory each time that it is needed.
__global__ void softmax(const float* logits, float* probabilities, int cols) {
  const float* x = logits + static_cast<std::int64_t>(blockIdx.x) * cols;
  float* y = probabilities + static_cast<std::int64_t>(blockIdx.x) * cols;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int held = kPerThread * threads;

  float e[kPerThread];
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    e[i] = col < cols ? x[col] : kNegativeInfinity;
    m = fmaxf(m, e[i]);  // drops a NaN, which its exponential brings back
  }
  for (int col = held + thread; col < cols; col += threads) {
    m = fmaxf(m, x[col]);
  }
  m = block_max(m);

  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    e[i] = expf(e[i] - m);
    d += e[i];
  }
  for (int col = held + thread; col < cols; col += threads) {
    d += expf(x[col] - m);
  }
  d = block_sum(d);

#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    if (col < cols) y[col] = e[i] / d;
  }
  for (int col = held + thread; col < cols; col += threads) {
    y[col] = expf(x[col] - m) / d;
  }
}

// ---- your part ends ----

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  const int waiting = waiting_bytes(static_cast<int>(problem.cols), problem.block_size);
  softmax<<<grid, block, waiting, stream>>>(problem.logits, problem.probabilities,
                                            static_cast<int>(problem.cols));
  worklog::check_launch("softmax", grid, block, waiting);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 3000,
                          .counters = {"loads_per_element", "stores_per_element",
                                       "global_load_requests", "block_barriers",
                                       "shared_load_wavefronts", "shared_store_wavefronts"},
                          .block_size = 128});
