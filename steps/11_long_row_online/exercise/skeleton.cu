// Exercise 11: the last block done
//
// In step 11 every block of the second launch combines the pairs of all blocks of the first. Here
// the first launch does so itself: the block that is done last finds all other pairs in memory,
// and stores the row's.

#include <cstdint>

#include "common/exercise/exercise.h"
#include "normalizer.cuh"

namespace {

using namespace given;

constexpr int kReducingBlocks = 64;

// ---- your part begins ----

// Whether all other blocks have stored their pairs, where this one can read them. All threads of
// the block are here, and all must return the same. `done` is 0 when the launch begins.
//
// This takes the block with the highest number for the last one done.
__device__ bool is_last_block(unsigned* done) {
  return blockIdx.x == gridDim.x - 1;
}

// ---- your part ends ----

// Every block stores its pair; the last one done stores the row's.
__global__ void reduce_row(const float* x, std::int64_t cols, Normalizer* of_blocks,
                           Normalizer* of_row, unsigned* done) {
  Normalizer mine;
  for (std::int64_t col = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       col < cols; col += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    mine = combine(mine, {x[col], 1.0f});
  }
  const Normalizer of_block = block_reduce(mine);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;

  if (!is_last_block(done)) return;
  mine = threadIdx.x < gridDim.x ? of_blocks[threadIdx.x] : Normalizer{};
  __syncthreads();  // block_reduce uses its shared memory again
  const Normalizer row = block_reduce(mine);
  if (threadIdx.x == 0) *of_row = row;
}

__global__ void divide_row(const float* x, float* y, std::int64_t cols, const Normalizer* of_row) {
  __shared__ float m, d;
  if (threadIdx.x == 0) {
    const Normalizer row = *of_row;
    m = row.m;
    d = row.d;
  }
  __syncthreads();
  const std::int64_t col = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (col < cols) y[col] = expf(x[col] - m) / d;
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 block(problem.block_size);
  const dim3 many((problem.cols + problem.block_size - 1) / problem.block_size);
  const dim3 few(many.x < kReducingBlocks ? many.x : kReducingBlocks);
  auto* const of_blocks = problem.scratch.take<Normalizer>(few.x);
  auto* const of_row = problem.scratch.take<Normalizer>(1);
  auto* const done = problem.scratch.take<unsigned>(1);

  cudaMemsetAsync(done, 0, sizeof(unsigned), stream);
  reduce_row<<<few, block, 0, stream>>>(problem.logits, problem.cols, of_blocks, of_row, done);
  worklog::check_launch("reduce_row", few, block);
  divide_row<<<many, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols,
                                         of_row);
  worklog::check_launch("divide_row", many, block);
}

std::int64_t scratch_bytes(std::int64_t, std::int64_t) {
  return worklog::Scratch::bytes_for(kReducingBlocks, sizeof(Normalizer)) +
         worklog::Scratch::bytes_for(1, sizeof(Normalizer)) +
         worklog::Scratch::bytes_for(1, sizeof(unsigned));
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 1,
                          .cols = 262144,
                          .counters = {"loads_per_element", "stores_per_element", "launches",
                                       "global_atomic_requests", "block_barriers"},
                          .block_size = 256,
                          .scratch_bytes = scratch_bytes});
