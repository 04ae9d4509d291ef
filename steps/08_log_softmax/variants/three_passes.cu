// Step 08, variant: three passes
//
// A block shares a row and reads it three times, an element a thread: the maximum, the sum, the
// difference. What one pass for maximum and sum gains, and vectors, shows beside it.

#include <cuda_runtime.h>

#include <cstdint>

#include "common/device/block_reduce.cuh"
#include "common/step/step.h"

namespace {

using namespace worklog::device;

template <typename T>
__global__ void log_softmax(const T* logits, T* log_probabilities, std::int64_t cols) {
  const T* x = logits + blockIdx.x * cols;
  T* y = log_probabilities + blockIdx.x * cols;

  float m = Max::kIdentity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    m = fmaxf(m, static_cast<float>(x[col]));
  }
  m = block_reduce(m, Max());
  float d = 0.0f;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    d += expf(static_cast<float>(x[col]) - m);
  }
  d = block_reduce(d, Sum());
  const float log_d = logf(d);
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = static_cast<T>(static_cast<float>(x[col]) - m - log_d);
  }
}

template <typename T>
void launch(const worklog::LogSoftmax<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  log_softmax<<<grid, block, 0, stream>>>(problem.logits, problem.log_probabilities, problem.cols);
  worklog::check_launch("log_softmax", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "08_log_softmax",
                      .loads = {3},
                      .stores = {1},
                      .block_sizes = {{1024, 128},
                                      {4096, 256},
                                      {10000, 512},
                                      {worklog::BlockSizes::kAnyWidth, 1024}},
                      .few_rows_block_sizes = 1024});
