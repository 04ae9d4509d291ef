// Exercise 04b: the last rounds
//
// A block shares a row, as in step 04. All of its threads wait at a barrier after each round of the
// tree, although one warp alone works in the last ones.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "common/exercise/exercise.h"

namespace {

constexpr int kWarpSize = 32;
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

// Combines what two threads have stored, and stores it in the place of the first.
__device__ void combine_places(float* shared_m, float* shared_d, int first, int second) {
  const Normalizer both =
      combine({shared_m[first], shared_d[first]}, {shared_m[second], shared_d[second]});
  shared_m[first] = both.m;
  shared_d[first] = both.d;
}

// Every thread returns the combination of all threads of the block, whose number is a power of two
// and 64 or more.
__device__ Normalizer block_reduce(Normalizer mine) {
  extern __shared__ float shared[];  // shared_bytes(blockDim.x)
  float* shared_m = shared;
  float* shared_d = shared + blockDim.x;
  const int thread = threadIdx.x;
  const int threads = blockDim.x;

  shared_m[thread] = mine.m;
  shared_d[thread] = mine.d;
  __syncthreads();
  // ---- your part begins ----

  // What a round wrote, other warps read.
  for (int distance = threads / 2; distance > kWarpSize; distance /= 2) {
    if (thread < distance) combine_places(shared_m, shared_d, thread, thread + distance);
    __syncthreads();
  }
  // From here on only the first warp writes and reads.
  if (thread < kWarpSize) {
    for (int distance = kWarpSize; distance > 0; distance /= 2) {
      if (thread < distance) combine_places(shared_m, shared_d, thread, thread + distance);
      __syncwarp();
    }
  }
  __syncthreads();

  // ---- your part ends ----
  return {shared_m[0], shared_d[0]};
}

std::size_t shared_bytes(int block_size) {
  return 2 * sizeof(float) * block_size;
}

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
  const std::size_t shared = shared_bytes(problem.block_size);
  softmax<<<grid, block, shared, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block, shared);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 1000,
                          .counters = {"loads_per_element", "stores_per_element", "block_barriers",
                                       "warp_syncs", "shuffles", "shared_load_wavefronts",
                                       "shared_store_wavefronts"},
                          .block_size = 256});
