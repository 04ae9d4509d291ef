// Exercise 01: no buffer of exponentials
//
// The three kernels of step 01. The second stores an exponential for every logit, and the third
// fetches each of them twice.

#include <cstdint>
#include <limits>

#include "common/exercise/exercise.h"

namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

__global__ void row_maxima(const float* logits, float* maxima, std::int64_t rows,
                           std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * cols;

  float m = kNegativeInfinity;
  for (std::int64_t col = 0; col < cols; ++col) {
    m = fmaxf(m, x[col]);  // drops a NaN, which its exponential brings back
  }
  maxima[row] = m;
}

// ---- your part begins ----

__global__ void row_sums(const float* logits, const float* maxima, float* sums, std::int64_t rows,
                         std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * cols;

  const float m = maxima[row];
  float d = 0.0f;
  for (std::int64_t col = 0; col < cols; ++col) {
    d += expf(x[col] - m);
  }
  sums[row] = d;
}

__global__ void divide(const float* logits, const float* maxima, const float* sums,
                       float* probabilities, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * cols;
  float* y = probabilities + row * cols;

  const float m = maxima[row];
  const float d = sums[row];
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] = expf(x[col] - m) / d;
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const std::int64_t rows = problem.rows;
  const std::int64_t cols = problem.cols;
  float* maxima = problem.scratch.take<float>(rows);
  float* sums = problem.scratch.take<float>(rows);
  const dim3 grid((rows + problem.block_size - 1) / problem.block_size);
  const dim3 block(problem.block_size);
  row_maxima<<<grid, block, 0, stream>>>(problem.logits, maxima, rows, cols);
  worklog::check_launch("row_maxima", grid, block);
  row_sums<<<grid, block, 0, stream>>>(problem.logits, maxima, sums, rows, cols);
  worklog::check_launch("row_sums", grid, block);
  divide<<<grid, block, 0, stream>>>(problem.logits, maxima, sums, problem.probabilities, rows,
                                     cols);
  worklog::check_launch("divide", grid, block);
}

// ---- your part ends ----

// Enough for the maxima, and for the exponentials or whatever you store instead.
std::int64_t scratch_bytes(std::int64_t rows, std::int64_t cols) {
  return worklog::Scratch::bytes_for(rows, sizeof(float)) +
         worklog::Scratch::bytes_for(rows * cols, sizeof(float));
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 1000,
                          .counters = {"loads_per_element", "stores_per_element",
                                       "global_load_sectors", "global_store_sectors", "launches"},
                          .block_size = 32,
                          .serial_sum = true,
                          .scratch_bytes = scratch_bytes});
