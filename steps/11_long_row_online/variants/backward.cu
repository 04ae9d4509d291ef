// Step 11, variant: the first pass goes backward
//
// When divide_row starts, the L2 cache holds what was read last. A first pass from the row's end to
// its beginning makes that the part of the row that the second pass wants first.

#include <cuda_runtime.h>

#include <cstdint>

#include "../shares.cuh"
#include "common/device/normalizer.cuh"
#include "common/device/row_tiles.cuh"
#include "common/step/step.h"

namespace {

using namespace one_row;

// The pair of each block's share of the row.
template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    reduce_row(const T* x, std::int64_t cols, Normalizer* of_blocks) {
  const Cut cut = cut_row(x, cols);
  const auto* vectors = reinterpret_cast<const Vector*>(x + cut.head);
  const std::int64_t tile = kInFlight<T> * blockDim.x;
  const std::int64_t last = (cut.vectors - 1) / tile * tile;

  const float edge = has_edge(cut) ? static_cast<float>(x[edge_column<T>(cut)]) : kNegativeInfinity;
  Normalizer mine;
  for (std::int64_t first = last - blockIdx.x * tile + threadIdx.x; first >= 0;
       first -= gridDim.x * tile) {
    mine = combine_tile(mine, load_tile<T, Read::kFirst>(vectors, first, cut.vectors));
  }
  mine = combine(mine, {edge, 1.0f});
  const Normalizer of_block = block_reduce(mine);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
}

// The pair of the whole row, which every block finds for itself.
__device__ Normalizer combine_blocks(const Normalizer* of_blocks, int blocks) {
  Normalizer mine;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) {
    mine = combine(mine, of_blocks[i]);
  }
  return block_reduce(mine);
}

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    divide_row(const T* x, T* y, std::int64_t cols, const Normalizer* of_blocks, int blocks) {
  const Cut cut = cut_row(x, cols);
  const auto* vectors = reinterpret_cast<const Vector*>(x + cut.head);
  const std::int64_t share = kInFlight<T> * blockDim.x;
  const std::int64_t first = blockIdx.x * share + threadIdx.x;

  // The logits are asked for before the wait for the pairs.
  const auto logits = load_tile<T, Read::kLast>(vectors, first, cut.vectors);
  const Normalizer row = combine_blocks(of_blocks, blocks);
  store_tile(softmax_of(logits, row), y + cut.head, first, cut.vectors);
  if (has_edge(cut)) {
    const std::int64_t col = edge_column<T>(cut);
    y[col] = static_cast<T>(expf(static_cast<float>(x[col]) - row.m) / row.d);
  }
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const dim3 few(reducing_blocks(problem.cols, problem.block_size));
  const dim3 many(dividing_blocks(problem.cols, problem.block_size));
  const dim3 block(problem.block_size);
  auto* const of_blocks = problem.scratch.template take<Normalizer>(few.x);

  reduce_row<<<few, block, 0, stream>>>(problem.logits, problem.cols, of_blocks);
  worklog::check_launch("reduce_row", few, block);
  divide_row<<<many, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols,
                                         of_blocks, few.x);
  worklog::check_launch("divide_row", many, block);
}

// The smallest block has the smallest share, and so the most blocks.
std::int64_t scratch_bytes(std::int64_t, std::int64_t cols, std::size_t) {
  return worklog::Scratch::bytes_for(reducing_blocks(cols, kWarpSize), sizeof(Normalizer));
}

// Pairs: every block that divides reads those of all that reduced.
std::int64_t partial_loads(std::int64_t cols, int block_size) {
  return dividing_blocks(cols, block_size) * reducing_blocks(cols, block_size);
}

std::int64_t partial_stores(std::int64_t cols, int block_size) {
  return reducing_blocks(cols, block_size);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "11_long_row_online",
                      .loads = {.per_column = 2, .of_partials = partial_loads},
                      .stores = {.per_column = 1, .of_partials = partial_stores},
                      .block_sizes = {{65536, 128}, {worklog::BlockSizes::kAnyWidth, 256}},
                      .max_rows = 1,
                      .scratch_bytes = scratch_bytes});
