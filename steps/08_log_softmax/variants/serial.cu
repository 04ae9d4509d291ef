// Step 08, variant: serial
//
// A thread per row, in three passes: the maximum, the sum, the difference. As step 02 does for
// softmax.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

template <typename T>
__global__ void log_softmax(const T* logits, T* log_probabilities, std::int64_t rows,
                            std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* x = logits + row * cols;
  T* y = log_probabilities + row * cols;

  float m = kNegativeInfinity;
  for (std::int64_t col = 0; col < cols; ++col) {
    m = fmaxf(m, static_cast<float>(x[col]));  // drops a NaN, which its exponential brings back
  }
  float d = 0.0f;
  for (std::int64_t col = 0; col < cols; ++col) {
    d += expf(static_cast<float>(x[col]) - m);
  }
  const float log_d = logf(d);
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] = static_cast<T>(static_cast<float>(x[col]) - m - log_d);
  }
}

template <typename T>
void launch(const worklog::LogSoftmax<T>& problem, cudaStream_t stream) {
  const dim3 grid((problem.rows + problem.block_size - 1) / problem.block_size);
  const dim3 block(problem.block_size);
  log_softmax<<<grid, block, 0, stream>>>(problem.logits, problem.log_probabilities, problem.rows,
                                          problem.cols);
  worklog::check_launch("log_softmax", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "08_log_softmax",
                      .loads = {3},
                      .stores = {1},
                      .summation = worklog::Summation::kSerial});
