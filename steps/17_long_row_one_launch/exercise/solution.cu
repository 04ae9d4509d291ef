// Exercise 17: one wait for all
//
// Eight blocks share a row. A thread keeps the exponentials of its first eight columns, taken
// against the largest of these, until it knows the row's (m, d): then one factor makes
// probabilities of them. All blocks wait for each other once.

#include <cooperative_groups.h>

#include <cstdint>

#include "common/exercise/exercise.h"
#include "normalizer.cuh"

namespace {

using namespace given;
namespace cg = cooperative_groups;

// Blocks of the grid, which is cooperative: they run at the same time.
constexpr int kBlocks = 8;

// The columns that a thread keeps. Those behind them are read again.
constexpr int kHeld = 8;

// ---- your part begins ----

// The pair of the row, for every thread of the grid, given the pair of each block's columns.
// `of_blocks` has room for a pair of each block.
__device__ Normalizer grid_reduce(Normalizer of_block, Normalizer* of_blocks) {
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
  cg::this_grid().sync();
  return block_reduce(threadIdx.x < kBlocks ? of_blocks[threadIdx.x] : Normalizer{});
}

// What turns exponentials that were taken against `m` into probabilities of the row.
__device__ float factor_of(float m, Normalizer row) {
  return expf(m - row.m) / row.d;
}

// ---- your part ends ----

__global__ void softmax(const float* x, float* y, std::int64_t cols, Normalizer* of_blocks) {
  const cg::grid_group grid = cg::this_grid();
  const auto first = static_cast<std::int64_t>(grid.thread_rank());
  const auto threads = static_cast<std::int64_t>(grid.num_threads());

  float held[kHeld];
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const std::int64_t col = first + i * threads;
    held[i] = col < cols ? x[col] : kNegativeInfinity;
    m = fmaxf(m, held[i]);  // drops a NaN, which its exponential brings back
  }
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  Normalizer mine = {m, 0.0f};
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    held[i] = expf(held[i] - origin);
    mine.d += held[i];
  }
  for (std::int64_t col = first + kHeld * threads; col < cols; col += threads) {
    mine = combine(mine, {x[col], 1.0f});
  }

  const Normalizer row = grid_reduce(block_reduce(mine), of_blocks);
  const float factor = factor_of(m, row);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const std::int64_t col = first + i * threads;
    if (col < cols) y[col] = held[i] * factor;
  }
  for (std::int64_t col = first + kHeld * threads; col < cols; col += threads) {
    y[col] = expf(x[col] - row.m) / row.d;
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(kBlocks);
  const dim3 block(problem.block_size);
  cudaLaunchAttribute cooperative = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, softmax, problem.logits, problem.probabilities, problem.cols,
                     problem.scratch.take<Normalizer>(kBlocks));
  worklog::check_launch("softmax", grid, block);
}

std::int64_t scratch_bytes(std::int64_t, std::int64_t) {
  return worklog::Scratch::bytes_for(kBlocks, sizeof(Normalizer));
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 1,
                          .cols = 20000,
                          .counters = {"loads_per_element", "stores_per_element",
                                       "cluster_barriers", "block_barriers"},
                          .block_size = 256,
                          .scratch_bytes = scratch_bytes});
