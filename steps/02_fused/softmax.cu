// Step 02: fused
//
// Step 01 handed the maxima and the exponentials from kernel to kernel through global memory. One
// kernel can keep a row's maximum and sum in registers, and an exponential is cheaper to compute
// again than to fetch: the buffer is gone.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// A row of -inf only turns into NaN in the sum, and so does a +inf: each is subtracted from itself.
template <typename T>
__global__ void softmax(const T* logits, T* probabilities, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* x = logits + row * cols;
  T* y = probabilities + row * cols;

  float m = kNegativeInfinity;
  for (std::int64_t col = 0; col < cols; ++col) {
    m = fmaxf(m, static_cast<float>(x[col]));  // drops a NaN, which its exponential brings back
  }
  float d = 0.0f;
  for (std::int64_t col = 0; col < cols; ++col) {
    d += expf(static_cast<float>(x[col]) - m);
  }
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] = static_cast<T>(expf(static_cast<float>(x[col]) - m) / d);
  }
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const dim3 grid((problem.rows + problem.block_size - 1) / problem.block_size);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                      problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "01_naive_three_kernels",
                      .loads = {3},
                      .stores = {1},
                      .summation = worklog::Summation::kSerial});
