// Step 09: one long row, one block
//
// All steps so far gave a row to a thread or to a block, and filled the GPU with rows. Here there
// is one row, of millions of columns. A block a row is then one block: one multiprocessor works,
// and all others wait.

#include <cuda_runtime.h>

#include <cstdint>

#include "common/device/block_reduce.cuh"
#include "common/step/step.h"

namespace {

using namespace worklog::device;

template <typename T>
__global__ void softmax(const T* x, T* y, std::int64_t cols) {
  float m = Max::kIdentity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    m = fmaxf(m, static_cast<float>(x[col]));
  }
  m = block_reduce(m, Max());
  float d = Sum::kIdentity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    d += expf(static_cast<float>(x[col]) - m);
  }
  d = block_reduce(d, Sum());
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = static_cast<T>(expf(static_cast<float>(x[col]) - m) / d);
  }
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const dim3 grid(1);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "06_vectorized",
                      .loads = {3},
                      .stores = {1},
                      .block_sizes = 1024,
                      .max_rows = 1});
