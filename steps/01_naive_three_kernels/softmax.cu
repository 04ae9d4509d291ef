// Step 01: naive three kernels
//
// Softmax as its definition reads: find each row's maximum, take the exponentials, divide by their
// sum. Each sentence is a kernel, each row a thread, and what one kernel finds goes to the next
// through global memory.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

template <typename T>
__global__ void row_maxima(const T* logits, T* maxima, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* x = logits + row * cols;

  float m = kNegativeInfinity;
  for (std::int64_t col = 0; col < cols; ++col) {
    m = fmaxf(m, static_cast<float>(x[col]));  // drops a NaN, which its exponential brings back
  }
  maxima[row] = static_cast<T>(m);
}

// A row of -inf only turns into NaN here, and so does a +inf: each is subtracted from itself.
template <typename T>
__global__ void exponentials(const T* logits, const T* maxima, T* exps, std::int64_t rows,
                             std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* x = logits + row * cols;
  T* e = exps + row * cols;

  const float m = static_cast<float>(maxima[row]);
  for (std::int64_t col = 0; col < cols; ++col) {
    e[col] = static_cast<T>(expf(static_cast<float>(x[col]) - m));
  }
}

template <typename T>
__global__ void sum_and_divide(const T* exps, T* probabilities, std::int64_t rows,
                               std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* e = exps + row * cols;
  T* y = probabilities + row * cols;

  float d = 0.0f;
  for (std::int64_t col = 0; col < cols; ++col) {
    d += static_cast<float>(e[col]);
  }
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] = static_cast<T>(static_cast<float>(e[col]) / d);
  }
}

std::int64_t scratch_bytes(std::int64_t rows, std::int64_t cols, std::size_t element_bytes) {
  return worklog::Scratch::bytes_for(rows, element_bytes) +
         worklog::Scratch::bytes_for(rows * cols, element_bytes);
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const std::int64_t rows = problem.rows;
  const std::int64_t cols = problem.cols;
  T* maxima = problem.scratch.template take<T>(rows);
  T* exps = problem.scratch.template take<T>(rows * cols);
  const dim3 grid((rows + problem.block_size - 1) / problem.block_size);
  const dim3 block(problem.block_size);
  row_maxima<<<grid, block, 0, stream>>>(problem.logits, maxima, rows, cols);
  worklog::check_launch("row_maxima", grid, block);
  exponentials<<<grid, block, 0, stream>>>(problem.logits, maxima, exps, rows, cols);
  worklog::check_launch("exponentials", grid, block);
  sum_and_divide<<<grid, block, 0, stream>>>(exps, problem.probabilities, rows, cols);
  worklog::check_launch("sum_and_divide", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "",
                      .loads = {.per_column = 4, .per_row = 1},
                      .stores = {.per_column = 2, .per_row = 1},
                      .summation = worklog::Summation::kSerial,
                      .stores_exponentials = true,
                      .scratch_bytes = scratch_bytes});
