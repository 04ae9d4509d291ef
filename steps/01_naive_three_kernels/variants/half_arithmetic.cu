// Step 01, variant: half arithmetic
//
// The same three kernels, computing in the storage type where step 01 converts to fp32 first: the
// difference, the exponential and the product are each rounded to it. The kernels move the same
// elements.
// (Benji Visser, "Writing a Softmax Kernel From Scratch", kernel 1)

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// What __hmax, __hsub, __hmul and hexp are for fp16 and bf16, fp32 has under other names.
__device__ float maximum(float a, float b) {
  return fmaxf(a, b);
}
__device__ float subtract(float a, float b) {
  return a - b;
}
__device__ float multiply(float a, float b) {
  return a * b;
}
__device__ float exponential(float x) {
  return expf(x);
}

template <typename T>
__device__ T maximum(T a, T b) {
  return __hmax(a, b);
}
template <typename T>
__device__ T subtract(T a, T b) {
  return __hsub(a, b);
}
template <typename T>
__device__ T multiply(T a, T b) {
  return __hmul(a, b);
}
template <typename T>
__device__ T exponential(T x) {
  return hexp(x);
}

template <typename T>
__global__ void row_maxima(const T* logits, T* maxima, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* x = logits + row * cols;

  T m = static_cast<T>(kNegativeInfinity);
  for (std::int64_t col = 0; col < cols; ++col) {
    m = maximum(m, x[col]);  // drops a NaN, which its exponential brings back
  }
  maxima[row] = m;
}

// A row of -inf only turns into NaN here, and so does a +inf: each is subtracted from itself.
template <typename T>
__global__ void exponentials(const T* logits, const T* maxima, T* exps, std::int64_t rows,
                             std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* x = logits + row * cols;
  T* e = exps + row * cols;

  const T m = maxima[row];
  for (std::int64_t col = 0; col < cols; ++col) {
    e[col] = exponential(subtract(x[col], m));
  }
}

// The sum alone is kept in fp32: an fp16 sum stops counting by one at 2048, a bf16 sum at 256.
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
  const T scale = static_cast<T>(1.0f / d);
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] = multiply(e[col], scale);
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

WORKLOG_STEP(launch, {.builds_on = "01_naive_three_kernels",
                      .loads = {.per_column = 4, .per_row = 1},
                      .stores = {.per_column = 2, .per_row = 1},
                      .summation = worklog::Summation::kSerial,
                      .storage_arithmetic = true,
                      .stores_exponentials = true,
                      .scratch_bytes = scratch_bytes});
