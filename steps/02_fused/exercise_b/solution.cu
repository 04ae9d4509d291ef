// Exercise 02b: from an empty file
//
// The contract. Everything else is yours.
//
// - problem.logits and problem.probabilities are arrays of rows x cols floats in the GPU's memory,
//   one row behind the other. They may be the same array; otherwise they do not overlap.
// - problem.rows and problem.cols are 1 or more.
// - problem.block_size is how many threads a block shall have, a multiple of 32. The check tries
//   several. The number of rows need not be a multiple of it.
// - All launches go to `stream`. After each, worklog::check_launch("name", grid, block) says what
//   CUDA refused.
// - Every row becomes its softmax: probabilities[i] = exp(x[i] - m) / sum of all exp(x[j] - m),
//   with m, the largest of the row's logits x.
// - A -inf gives exactly 0. A row with a NaN, with +inf, or with nothing but -inf becomes NaN
//   throughout.
// - One launch, 3 loads and 1 store per logit, at most.

#include <cmath>
#include <cstdint>

#include "common/exercise/exercise.h"

namespace {

// ---- your part begins ----

__global__ void softmax(const float* logits, float* probabilities, std::int64_t rows,
                        std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * cols;
  float* y = probabilities + row * cols;

  float m = -INFINITY;
  for (std::int64_t col = 0; col < cols; ++col) {
    m = fmaxf(m, x[col]);  // drops a NaN, which its exponential brings back
  }
  float d = 0.0f;
  for (std::int64_t col = 0; col < cols; ++col) {
    d += expf(x[col] - m);
  }
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] = expf(x[col] - m) / d;
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid((problem.rows + problem.block_size - 1) / problem.block_size);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                      problem.cols);
  worklog::check_launch("softmax", grid, block);
}

// ---- your part ends ----

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 1000,
                          .counters = {"launches", "loads_per_element", "stores_per_element"},
                          .block_size = 32,
                          .serial_sum = true});
