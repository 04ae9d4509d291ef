// Exercise 08: the logarithm first
//
// log(softmax(x)), as one would write it at first: three passes, and a logarithm of what may have
// become 0.

#include <cstdint>

#include "common/exercise/exercise.h"
#include "reductions.cuh"

namespace {

using namespace given;

// ---- your part begins ----

__global__ void log_softmax(const float* logits, float* log_probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = log_probabilities + blockIdx.x * cols;

  float m = Max::kIdentity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    m = fmaxf(m, x[col]);
  }
  m = block_reduce(m, Max());
  float d = Sum::kIdentity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    d += expf(x[col] - m);
  }
  d = block_reduce(d, Sum());
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = logf(expf(x[col] - m) / d);
  }
}

// ---- your part ends ----

void launch(const worklog::LogSoftmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  log_softmax<<<grid, block, 0, stream>>>(problem.logits, problem.log_probabilities, problem.cols);
  worklog::check_launch("log_softmax", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 1000,
                          .counters = {"loads_per_element", "stores_per_element",
                                       "global_load_requests", "block_barriers"},
                          .block_size = 256});
