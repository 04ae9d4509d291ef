// The top-k of given values, with no softmax: all of top_k_only, and the second launch of the
// variants that store the probabilities first.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../best_list.cuh"
#include "common/step/step.h"
#include "row_tiles.cuh"

namespace topk {

template <int kSlots, typename T>
__global__ void __launch_bounds__(kMaxThreads)
    top_k(const T* given, float* values, std::int64_t* indices, std::int64_t cols, int k) {
  const RowShare<T> row(given + blockIdx.x * cols, cols);
  const float edge = row.load_edge();
  BestList<kSlots> best(k);
  row.for_each_tile([&](const Tile<T>& tile, std::int64_t column, std::int64_t left) {
    offer_tile<T>(best, tile, column, left);
  });
  finish(best, edge, row.edge, row.has_edge);
  merge_warps(best);
  write(best, values, indices, [](float x) { return x; });
}

// The launch shapes that the recorded sweep found best for ranking alone. A warp has a list, so
// where there are rows enough each has one warp; the softmax before it wants larger blocks.
inline const worklog::BlockSizes kTopKBlockSizes = kWarpSize;
inline const worklog::BlockSizes kFewRowsTopKBlockSizes = {
    {1024, 64}, {32000, 256}, {worklog::BlockSizes::kAnyWidth, 512}};

inline int top_k_block_size(std::int64_t rows, std::int64_t cols) {
  const worklog::StepInfo sizes = {.block_sizes = kTopKBlockSizes,
                                   .few_rows_block_sizes = kFewRowsTopKBlockSizes};
  return sizes.block_size_for(rows, cols);
}

template <int kSlots, typename T>
void launch_top_k_with(const T* given, const worklog::TopK<T>& problem, int block_size,
                       cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(block_size);
  const std::size_t shared = shared_bytes<kSlots>(block_size);
  top_k<kSlots><<<grid, block, shared, stream>>>(given, problem.values, problem.indices,
                                                 problem.cols, problem.k);
  worklog::check_launch("top_k", grid, block, shared);
}

// Ranks `given`, rows x cols like the problem's logits.
template <typename T>
void launch_top_k(const T* given, const worklog::TopK<T>& problem, int block_size,
                  cudaStream_t stream) {
  static_assert(slots_for(worklog::kMaxK) == 4, "a case for each power of two");
  switch (slots_for(problem.k)) {
    case 1:
      return launch_top_k_with<1>(given, problem, block_size, stream);
    case 2:
      return launch_top_k_with<2>(given, problem, block_size, stream);
    default:
      return launch_top_k_with<4>(given, problem, block_size, stream);
  }
}

}  // namespace topk
