// Step 08, variant: three passes
//
// A block shares a row and reads it three times, an element a thread: the maximum, the sum, the
// difference. What one pass for maximum and sum gains, and vectors, shows beside it.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

struct Max {
  static constexpr float kIdentity = -std::numeric_limits<float>::infinity();
  __device__ float operator()(float a, float b) const {
    return fmaxf(a, b);  // drops a NaN, which its exponential brings back
  }
};

struct Sum {
  static constexpr float kIdentity = 0.0f;
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Every lane returns the combination of all 32.
template <typename Operation>
__device__ float warp_reduce(float mine, Operation combine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = combine(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  }
  return mine;
}

// Every thread returns the combination of all threads of the block. Each operation is a function of
// its own with shared memory of its own, so that no barrier is needed between two of them.
template <typename Operation>
__device__ float block_reduce(float mine, Operation combine) {
  __shared__ float warp_result[kMaxWarps], row_result;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine, combine);
  if (lane == 0) warp_result[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = warp_reduce(lane < warps ? warp_result[lane] : Operation::kIdentity, combine);
    if (lane == 0) row_result = mine;
  }
  __syncthreads();
  return row_result;
}

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

WORKLOG_STEP(launch, {.builds_on = "08_log_softmax", .loads = {3}, .stores = {1}});
