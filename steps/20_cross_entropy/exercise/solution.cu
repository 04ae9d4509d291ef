// Exercise 20: one pass for loss and gradient
//
// A block computes the softmax of a row, stores it, and then takes 1 from the label's column of
// what it has stored: that is the gradient of the loss.

#include <cstdint>

#include "common/exercise/exercise.h"
#include "reductions.cuh"

namespace {

using namespace given;

// The columns that a thread may hold at most: no row is longer than so many for each thread.
constexpr int kPerThread = 16;

// ---- your part begins ----

// The loss is log(sum(exp)) - x of the label; its gradient is the softmax, less 1 in that column.
// A thread holds its columns until m and d are known, and knows the label's when it stores them.
__global__ void cross_entropy(const float* logits, const std::int64_t* labels, float* losses,
                              float* log_sum_exps, float* gradients, int cols) {
  const std::int64_t row = blockIdx.x;
  const float* x = logits + row * cols;
  float* dx = gradients + row * cols;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  __shared__ int label;  // which all know behind the barrier of block_max
  float logit = 0.0f;    // loaded before anybody stores a gradient
  if (thread == 0) {
    label = static_cast<int>(labels[row]);
    logit = x[label];
  }

  float held[kPerThread];
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    held[i] = col < cols ? x[col] : kNegativeInfinity;
    m = fmaxf(m, held[i]);
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
    const int col = thread + i * threads;
    if (col < cols) dx[col] = held[i] / d - (col == label ? 1.0f : 0.0f);
  }
  if (thread == 0) {
    log_sum_exps[row] = m + logf(d);
    losses[row] = logf(d) - (logit - m);
  }
}

// ---- your part ends ----

void launch(const worklog::CrossEntropy<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  cross_entropy<<<grid, block, 0, stream>>>(problem.logits, problem.labels.of_64_bits,
                                            problem.losses, problem.log_sum_exps, problem.gradients,
                                            static_cast<int>(problem.cols));
  worklog::check_launch("cross_entropy", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch,
                 {.rows = 64,
                  .cols = 1000,
                  .counters = {"loads_per_element", "stores_per_element", "global_load_requests",
                               "global_store_requests", "block_barriers"},
                  .block_size = 128});
