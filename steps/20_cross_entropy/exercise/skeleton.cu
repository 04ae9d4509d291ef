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
__global__ void cross_entropy(const float* logits, const std::int64_t* labels, float* losses,
                              float* log_sum_exps, float* gradients, int cols) {
  const std::int64_t row = blockIdx.x;
  const float* x = logits + row * cols;
  float* dx = gradients + row * cols;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);

  float m = kNegativeInfinity;
  for (int col = thread; col < cols; col += threads) {
    m = fmaxf(m, x[col]);
  }
  m = block_max(m);
  float d = 0.0f;
  for (int col = thread; col < cols; col += threads) {
    d += expf(x[col] - m);
  }
  d = block_sum(d);
  const float logit = thread == 0 ? x[labels[row]] : 0.0f;  // the next loop may overwrite it
  __syncthreads();
  for (int col = thread; col < cols; col += threads) {
    dx[col] = expf(x[col] - m) / d;
  }
  __syncthreads();
  if (thread == 0) {
    dx[labels[row]] -= 1.0f;
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
