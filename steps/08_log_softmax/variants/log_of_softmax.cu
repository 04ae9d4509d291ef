// Step 08, variant: the logarithm of the softmax
//
// The formula taken literally. Without the maximum subtracted, as here, the softmax overflows; and
// even with it, a logit far below its row's largest has the probability 0, whose logarithm is -inf.

#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

// Every lane returns the sum of all 32.
__device__ float warp_sum(float mine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine += __shfl_xor_sync(kAllLanes, mine, distance);
  }
  return mine;
}

// Every thread returns the sum of all threads of the block.
__device__ float block_sum(float mine) {
  __shared__ float warp_result[kMaxWarps], row_result;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_sum(mine);
  if (lane == 0) warp_result[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = warp_sum(lane < warps ? warp_result[lane] : 0.0f);
    if (lane == 0) row_result = mine;
  }
  __syncthreads();
  return row_result;
}

template <typename T>
__global__ void log_of_softmax(const T* logits, T* log_probabilities, std::int64_t cols) {
  const T* x = logits + blockIdx.x * cols;
  T* y = log_probabilities + blockIdx.x * cols;

  float d = 0.0f;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    d += expf(static_cast<float>(x[col]));
  }
  d = block_sum(d);
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = static_cast<T>(logf(expf(static_cast<float>(x[col])) / d));
  }
}

template <typename T>
void launch(const worklog::LogSoftmax<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  log_of_softmax<<<grid, block, 0, stream>>>(problem.logits, problem.log_probabilities,
                                             problem.cols);
  worklog::check_launch("log_of_softmax", grid, block);
}

}  // namespace

// The smallest probability within the domain, exp(-2 x 37) of 100000 columns, is 7.3e-38, a normal
// float.
WORKLOG_STEP(
    launch, {.builds_on = "08_log_softmax",
             .loads = {2},
             .stores = {1},
             .expected_failure = "The probability of a logit 104 below its row's largest is 0, and "
                                 "its logarithm -inf; above 88.7 exp(x) overflows to NaN.",
             .largest_logit = 37.0f});
