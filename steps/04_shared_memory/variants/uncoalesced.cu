// Step 04, variant: uncoalesced
//
// As many warps as in the step, but each thread takes columns that lie next to each other, so that
// the lanes of a warp read and write places far apart, as in steps 01 to 03. What this gains over
// step 03 is the warps' part, and what the step gains over this is that of coalescing.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

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

// Every thread returns the combination of all threads of the block.
__device__ Normalizer block_reduce(Normalizer mine) {
  extern __shared__ float shared[];  // shared_bytes(blockDim.x)
  float* shared_m = shared;
  float* shared_d = shared + blockDim.x;
  const int thread = threadIdx.x;

  shared_m[thread] = mine.m;
  shared_d[thread] = mine.d;
  __syncthreads();
  int active = blockDim.x;
  while (active > 1) {
    const int distance = (active + 1) / 2;  // rounded up: blocks of any size, not powers of two
    if (thread + distance < active) {
      mine = combine(mine, {shared_m[thread + distance], shared_d[thread + distance]});
      shared_m[thread] = mine.m;
      shared_d[thread] = mine.d;
    }
    __syncthreads();
    active = distance;
  }
  return {shared_m[0], shared_d[0]};
}

std::size_t shared_bytes(int block_size) {
  return 2 * sizeof(float) * block_size;
}

template <typename T>
__global__ void softmax(const T* logits, T* probabilities, std::int64_t cols) {
  const T* x = logits + blockIdx.x * cols;
  T* y = probabilities + blockIdx.x * cols;

  const std::int64_t share = (cols + blockDim.x - 1) / blockDim.x;
  const std::int64_t begin = threadIdx.x * share;
  const std::int64_t end = begin + share < cols ? begin + share : cols;

  Normalizer mine;
  for (std::int64_t col = begin; col < end; ++col) {
    mine = combine(mine, {static_cast<float>(x[col]), 1.0f});
  }
  const Normalizer row = block_reduce(mine);
  for (std::int64_t col = begin; col < end; ++col) {
    y[col] = static_cast<T>(expf(static_cast<float>(x[col]) - row.m) / row.d);
  }
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  const std::size_t shared = shared_bytes(problem.block_size);
  softmax<<<grid, block, shared, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block, shared);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "04_shared_memory", .loads = {2}, .stores = {1}});
