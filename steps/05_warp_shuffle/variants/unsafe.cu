// Step 05, variant: unsafe
//
// The definition taken literally: no maximum is subtracted. One sum is all that the block has to
// find, and any logit above 88.7 overflows it.
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", algorithm 1)

#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

// Every lane returns the sum over all 32.
__device__ float warp_sum(float mine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine += __shfl_xor_sync(kAllLanes, mine, distance);
  }
  return mine;
}

// Every thread returns the sum over all threads of the block.
__device__ float block_sum(float mine) {
  __shared__ float warp_d[kMaxWarps], row_d;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_sum(mine);
  if (lane == 0) warp_d[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = warp_sum(lane < warps ? warp_d[lane] : 0.0f);
    if (lane == 0) row_d = mine;
  }
  __syncthreads();
  return row_d;
}

template <typename T>
__global__ void softmax(const T* logits, T* probabilities, std::int64_t cols) {
  const T* x = logits + blockIdx.x * cols;
  T* y = probabilities + blockIdx.x * cols;

  float d = 0.0f;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    d += expf(static_cast<float>(x[col]));
  }
  d = block_sum(d);
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = static_cast<T>(expf(static_cast<float>(x[col])) / d);
  }
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

// 100000 columns of exp(75) sum to 3.7e37, a ninth of the largest float.
WORKLOG_STEP(launch, {.builds_on = "05_warp_shuffle",
                      .loads = {2},
                      .stores = {1},
                      .expected_failure = "Without the maximum subtracted, exp(x) overflows for "
                                          "logits above 88.7 and a row of logits below -104 sums "
                                          "to 0; both give NaN. Where only the sum overflows, all "
                                          "probabilities are 0.",
                      .largest_logit = 75.0f});
