// Exercise 05b: one warp gathers
//
// A block shares a row, as in step 05, where each warp reduces its own pairs with shuffles.

#include <cstdint>
#include <limits>

#include "common/exercise/exercise.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kMaxWarps * kWarpSize;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// What is known of a row so far: its maximum m, and d, the sum of exp(x - m).
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
  float m = mine.m;
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, distance));  // drops a NaN, but d keeps it
  }
  float d = m == kNegativeInfinity ? mine.d : mine.d * expf(mine.m - m);
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    d += __shfl_xor_sync(kAllLanes, d, distance);
  }
  return {m, d};
}

// ---- your part begins ----

// Every thread returns the combination of all threads of the block, whose number is a multiple of
// 32. Every thread leaves its pair in shared memory, and the first warp gathers them: each lane
// those of its own column of a table that is 32 wide, one after the other.
__device__ Normalizer block_reduce(Normalizer mine) {
  __shared__ float thread_m[kMaxThreads], thread_d[kMaxThreads];
  __shared__ float row_m, row_d;
  const int thread = threadIdx.x;
  const int threads = blockDim.x;

  thread_m[thread] = mine.m;
  thread_d[thread] = mine.d;
  __syncthreads();
  if (thread < kWarpSize) {
    for (int other = thread + kWarpSize; other < threads; other += kWarpSize) {
      mine = combine(mine, {thread_m[other], thread_d[other]});
    }
    mine = warp_reduce(mine);
    if (thread == 0) {
      row_m = mine.m;
      row_d = mine.d;
    }
  }
  __syncthreads();
  return {row_m, row_d};
}

// ---- your part ends ----

__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;

  Normalizer mine;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = combine(mine, {x[col], 1.0f});
  }
  const Normalizer row = block_reduce(mine);
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = expf(x[col] - row.m) / row.d;
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 4096,
                          .counters = {"loads_per_element", "stores_per_element", "block_barriers",
                                       "shuffles", "shared_load_bank_conflicts",
                                       "shared_load_wavefronts", "shared_store_wavefronts"}});
