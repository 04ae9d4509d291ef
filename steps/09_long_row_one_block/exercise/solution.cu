// Exercise 09: keep what fits
//
// One block, one long row, three passes, as in step 09. The row does not fit on the chip, but its
// beginning does.

#include <cstdint>

#include "block_reduce.cuh"
#include "common/exercise/exercise.h"

namespace {

using namespace given;

// 40 KiB of the 48 that a block has without asking for more.
constexpr int kKept = 10240;

// ---- your part begins ----

__global__ void softmax(const float* x, float* y, std::int64_t cols) {
  __shared__ float kept[kKept];  // x[0] to x[kKept - 1]

  float m = Max::kIdentity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    const float logit = x[col];
    if (col < kKept) kept[col] = logit;
    m = fmaxf(m, logit);
  }
  m = block_reduce(m, Max());
  // No barrier is needed for `kept`: a thread reads what it wrote itself.
  float d = Sum::kIdentity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    d += expf((col < kKept ? kept[col] : x[col]) - m);
  }
  d = block_reduce(d, Sum());
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = expf((col < kKept ? kept[col] : x[col]) - m) / d;
  }
}

// ---- your part ends ----

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(1);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch,
                 {.rows = 1,
                  .cols = 16384,
                  .counters = {"loads_per_element", "stores_per_element", "global_load_requests",
                               "block_barriers", "shared_load_bank_conflicts"},
                  .block_size = 1024});
