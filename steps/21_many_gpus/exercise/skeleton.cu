// Exercise 21: what the ranks have told
//
// Eight ranks share each row, which here are blocks of one device: a launch in which each rank
// finds (m, d) of its slice, and one in which each combines what all have told, and makes its
// results. Between the two, with several GPUs, stands the all-gather.

#include <cstdint>

#include "common/exercise/exercise.h"
#include "normalizer.cuh"

namespace {

using namespace given;

constexpr int kRanks = 8;

// Each slice is as wide as all before it together; in a row of less than 128 columns the first have
// no column.
__device__ std::int64_t first_col_of(int rank, std::int64_t cols) {
  return rank == 0 ? 0 : cols >> (kRanks - rank);
}

// ---- your part begins ----

// What all ranks know of a row together, for every thread of the block. Rank r has left its pair in
// told[r * rows + row].
//
// This takes what the last rank has told for the whole row.
__device__ Normalizer ranks_combine(const Normalizer* told, std::int64_t rows, std::int64_t row) {
  return told[(kRanks - 1) * rows + row];
}

// ---- your part ends ----

__global__ void know(const float* logits, std::int64_t rows, std::int64_t cols, Normalizer* told) {
  const std::int64_t row = blockIdx.x / kRanks;
  const int rank = static_cast<int>(blockIdx.x % kRanks);
  const float* x = logits + row * cols;
  const std::int64_t end = first_col_of(rank + 1, cols);
  Normalizer mine;
  for (std::int64_t col = first_col_of(rank, cols) + threadIdx.x; col < end; col += blockDim.x) {
    mine = combine(mine, {x[col], 1.0f});
  }
  mine = block_reduce(mine);
  if (threadIdx.x == 0) told[rank * rows + row] = mine;
}

__global__ void finish(const float* logits, float* probabilities, std::int64_t rows,
                       std::int64_t cols, const Normalizer* told) {
  const std::int64_t row = blockIdx.x / kRanks;
  const int rank = static_cast<int>(blockIdx.x % kRanks);
  const float* x = logits + row * cols;
  float* y = probabilities + row * cols;
  const std::int64_t end = first_col_of(rank + 1, cols);
  const Normalizer of_row = ranks_combine(told, rows, row);
  for (std::int64_t col = first_col_of(rank, cols) + threadIdx.x; col < end; col += blockDim.x) {
    y[col] = expf(x[col] - of_row.m) / of_row.d;
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(problem.rows * kRanks));
  const dim3 block(problem.block_size);
  auto* const told = problem.scratch.take<Normalizer>(problem.rows * kRanks);

  know<<<grid, block, 0, stream>>>(problem.logits, problem.rows, problem.cols, told);
  worklog::check_launch("know", grid, block);
  finish<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                     problem.cols, told);
  worklog::check_launch("finish", grid, block);
}

std::int64_t scratch_bytes(std::int64_t rows, std::int64_t) {
  return worklog::Scratch::bytes_for(rows * kRanks, sizeof(Normalizer));
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 4096,
                          .counters = {"loads_per_element", "global_load_requests",
                                       "block_barriers", "launches"},
                          .block_size = 256,
                          .scratch_bytes = scratch_bytes});
