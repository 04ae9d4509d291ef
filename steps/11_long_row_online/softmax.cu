// Step 11: one long row, online
//
// (m, d) can be combined across blocks as it was across lanes and warps. So one pass over the row
// gives a pair per block, and in a second pass every block combines the pairs and divides: two
// launches, whatever the length of the row, and nothing of its size in between.

#include <cuda_runtime.h>

#include <algorithm>
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
// Aligned so that nvcc may read a pair in one access.
struct alignas(8) Normalizer {
  float m = kNegativeInfinity;
  float d = 0.0f;
};

// A NaN or +inf on either side makes d NaN, and with it the row.
__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float m = a.m > b.m ? a.m : b.m;              // not fmaxf, which drops a NaN
  if (m == kNegativeInfinity) return {m, a.d + b.d};  // -inf - -inf would be NaN
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

// Every lane returns the combination of all 32. The maximum comes first, so that a lane rescales
// its sum once: combine() in all five rounds costs ten exponentials, nine of them for nothing
// (step 05 has that version, variants/combine_every_round.cu).
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

// A column a thread, then from the first block again: enough blocks to fill an H200, and few enough
// that every block of the second launch can read all their pairs.
constexpr std::int64_t kMaxBlocks = 256;

std::int64_t blocks_for(std::int64_t count, int block_size) {
  return std::min((count + block_size - 1) / block_size, kMaxBlocks);
}

__device__ std::int64_t this_column() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ std::int64_t columns_a_turn() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

// The pair of each block's share of the row.
template <typename T>
__global__ void reduce(const T* x, Normalizer* of_blocks, std::int64_t cols) {
  Normalizer mine;
  for (std::int64_t col = this_column(); col < cols; col += columns_a_turn()) {
    mine = combine(mine, {static_cast<float>(x[col]), 1.0f});
  }
  const Normalizer of_block = block_reduce(mine);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
}

// The pair of the whole row, which every block finds for itself.
__device__ Normalizer combine_blocks(const Normalizer* of_blocks) {
  Normalizer mine;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
    mine = combine(mine, of_blocks[i]);
  }
  return block_reduce(mine);
}

template <typename T>
__global__ void divide(const T* x, T* y, std::int64_t cols, const Normalizer* of_blocks) {
  const Normalizer row = combine_blocks(of_blocks);
  for (std::int64_t col = this_column(); col < cols; col += columns_a_turn()) {
    y[col] = static_cast<T>(expf(static_cast<float>(x[col]) - row.m) / row.d);
  }
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const dim3 grid(blocks_for(problem.cols, problem.block_size));
  const dim3 block(problem.block_size);
  auto* const of_blocks = problem.scratch.template take<Normalizer>(grid.x);

  reduce<<<grid, block, 0, stream>>>(problem.logits, of_blocks, problem.cols);
  worklog::check_launch("reduce", grid, block);
  divide<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols,
                                     static_cast<const Normalizer*>(of_blocks));
  worklog::check_launch("divide", grid, block);
}

std::int64_t scratch_bytes(std::int64_t, std::int64_t, std::size_t) {
  return worklog::Scratch::bytes_for(kMaxBlocks, sizeof(Normalizer));
}

// Pairs: every block that divides reads those of all that reduced.
std::int64_t partial_loads(const worklog::Launched& launched) {
  return blocks_for(launched.cols, launched.block_size) *
         blocks_for(launched.cols, launched.block_size);
}

std::int64_t partial_stores(const worklog::Launched& launched) {
  return blocks_for(launched.cols, launched.block_size);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "10_long_row_many_launches",
                      .loads = {.per_column = 2, .of_partials = partial_loads},
                      .stores = {.per_column = 1, .of_partials = partial_stores},
                      .max_rows = 1,
                      .scratch_bytes = scratch_bytes});
