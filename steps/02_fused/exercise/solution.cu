// Exercise 02: a short row in registers
//
// Step 02 reads a row three times, because a thread cannot keep thousands of logits. But it can
// keep eight.

#include <cstdint>
#include <limits>

#include "common/exercise/exercise.h"

namespace {

constexpr int kShortRow = 8;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// Rows of any width, as in step 02.
__device__ void softmax_of_row(const float* x, float* y, std::int64_t cols) {
  float m = kNegativeInfinity;
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

// ---- your part begins ----

// A row of at most kShortRow columns: read every logit once.
__device__ void softmax_of_short_row(const float* x, float* y, int cols) {
  // Columns that the row does not have read as -inf, which adds nothing to the sum. Every index is
  // known to the compiler, or the array could not lie in registers.
  float values[kShortRow];
#pragma unroll
  for (int col = 0; col < kShortRow; ++col) {
    values[col] = col < cols ? x[col] : kNegativeInfinity;
  }
  float m = kNegativeInfinity;
#pragma unroll
  for (int col = 0; col < kShortRow; ++col) {
    m = fmaxf(m, values[col]);
  }
  float d = 0.0f;
#pragma unroll
  for (int col = 0; col < kShortRow; ++col) {
    values[col] = expf(values[col] - m);
    d += values[col];
  }
#pragma unroll
  for (int col = 0; col < kShortRow; ++col) {
    if (col < cols) y[col] = values[col] / d;
  }
}

// ---- your part ends ----

__global__ void softmax(const float* logits, float* probabilities, std::int64_t rows,
                        std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * cols;
  float* y = probabilities + row * cols;

  if (cols <= kShortRow) {
    softmax_of_short_row(x, y, static_cast<int>(cols));
  } else {
    softmax_of_row(x, y, cols);
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid((problem.rows + problem.block_size - 1) / problem.block_size);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                      problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 4096,
                          .cols = 8,
                          .counters = {"loads_per_element", "stores_per_element",
                                       "global_load_requests", "global_load_sectors"},
                          .block_size = 32,
                          .serial_sum = true});
