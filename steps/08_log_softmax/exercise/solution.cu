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

  Normalizer mine;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = combine(mine, {x[col], 1.0f});
  }
  const Normalizer row = block_reduce(mine);
  const float log_d = logf(row.d);
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = x[col] - row.m - log_d;  // not x - (m + log d), which loses log d beside a large m
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
