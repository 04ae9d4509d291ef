// Step 05, combining in every round
//
// The lanes of a warp exchange whole pairs (m, d) and combine them with the operator as it stands,
// in each of the five rounds. That is the operator's definition, word for word, and ten
// exponentials per lane, for which all warps of a multiprocessor share its arithmetic units.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

// What is known of a row so far: its maximum m, and d, the sum of exp(x - m).
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 3.1)
struct Normalizer {
  float m = kNegativeInfinity;
  float d = 0.0f;
};

// A NaN or +inf on either side makes d NaN, and with it the row.
__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float m = a.m > b.m ? a.m : b.m;              // not fmaxf, which drops a NaN
  if (m == kNegativeInfinity) return {m, a.d + b.d};  // -inf - -inf would be NaN
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

// Every lane returns the combination of all 32.
__device__ Normalizer warp_reduce(Normalizer mine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    const Normalizer other{__shfl_xor_sync(kAllLanes, mine.m, distance),
                           __shfl_xor_sync(kAllLanes, mine.d, distance)};
    mine = combine(mine, other);
  }
  return mine;
}

// Every thread returns the combination of all threads of the block.
__device__ Normalizer block_reduce(Normalizer mine) {
  __shared__ float warp_m[kMaxWarps], warp_d[kMaxWarps], row_m, row_d;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine);
  if (lane == 0) {
    warp_m[warp] = mine.m;
    warp_d[warp] = mine.d;
  }
  __syncthreads();
  if (warp == 0) {
    mine = warp_reduce(lane < warps ? Normalizer{warp_m[lane], warp_d[lane]} : Normalizer{});
    if (lane == 0) {
      row_m = mine.m;
      row_d = mine.d;
    }
  }
  __syncthreads();
  return {row_m, row_d};
}

template <typename T>
__global__ void softmax(const T* logits, T* probabilities, std::int64_t cols) {
  const T* x = logits + blockIdx.x * cols;
  T* y = probabilities + blockIdx.x * cols;

  Normalizer mine;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = combine(mine, {static_cast<float>(x[col]), 1.0f});
  }
  const Normalizer row = block_reduce(mine);
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = static_cast<T>(expf(static_cast<float>(x[col]) - row.m) / row.d);
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

WORKLOG_STEP(launch, {.builds_on = "05_warp_shuffle", .loads = {2}, .stores = {1}});
