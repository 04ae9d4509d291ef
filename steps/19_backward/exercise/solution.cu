// Exercise 19: both arrays once
//
// A block sends the gradients of a row back through softmax, and reads both arrays for the sum, and
// again for the results.

#include <cstdint>

#include "common/exercise/exercise.h"
#include "reductions.cuh"

namespace {

using namespace given;

// The columns that a thread may hold at most: no row is longer than so many for each thread.
constexpr int kPerThread = 16;

// ---- your part begins ----

// dx = y (dy - s), where s is the sum of y dy over the row. A thread holds its columns of both
// arrays until the sum is known.
__global__ void softmax_backward(const float* probabilities, const float* gradients,
                                 float* logit_gradients, int cols) {
  const std::int64_t first_of_row = static_cast<std::int64_t>(blockIdx.x) * cols;
  const float* y = probabilities + first_of_row;
  const float* dy = gradients + first_of_row;
  float* dx = logit_gradients + first_of_row;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);

  float held_y[kPerThread];
  float held_dy[kPerThread];
  float s = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    held_y[i] = col < cols ? y[col] : 0.0f;
    held_dy[i] = col < cols ? dy[col] : 0.0f;
    s += held_y[i] * held_dy[i];
  }
  s = block_sum(s);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    if (col < cols) dx[col] = held_y[i] * (held_dy[i] - s);
  }
}

// ---- your part ends ----

void launch(const worklog::SoftmaxBackward<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax_backward<<<grid, block, 0, stream>>>(problem.probabilities, problem.gradients,
                                               problem.logit_gradients,
                                               static_cast<int>(problem.cols));
  worklog::check_launch("softmax_backward", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 1000,
                          .counters = {"loads_per_element", "stores_per_element",
                                       "global_load_requests", "block_barriers"},
                          .block_size = 128});
