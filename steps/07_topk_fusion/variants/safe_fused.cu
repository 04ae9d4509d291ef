// Step 07, variant: safe softmax fused with top-k
//
// Fusion without the online normalizer: the maximum first, then the sum and the list in a second
// pass. Nothing but K probabilities is stored, but the row is read twice.
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 5.2)

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../best_list.cuh"
#include "common/step/step.h"
#include "maximum_and_sum.cuh"
#include "row_tiles.cuh"

namespace {

using namespace topk;

template <int kSlots, typename T>
__global__ void __launch_bounds__(kMaxThreads)
    softmax_top_k(const T* logits, float* values, std::int64_t* indices, std::int64_t cols, int k) {
  const RowShare<T> row(logits + blockIdx.x * cols, cols);
  const float m = row_maximum(row);

  const float edge = row.load_edge();
  float mine = row.has_edge ? expf(edge - m) : 0.0f;
  BestList<kSlots> best(k);
  row.for_each_tile([&](const Tile<T>& tile, std::int64_t column, std::int64_t left) {
    offer_tile<T>(best, tile, column, left);
    mine += sum_of_exponentials<T>(tile, m);
  });
  finish(best, edge, row.edge, row.has_edge);

  const float d = block_reduce<sum>(mine, 0.0f);
  merge_warps(best);
  write(best, values, indices, [&](float u) { return expf(u - m) / d; });
}

template <int kSlots, typename T>
void launch_with(const worklog::TopK<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  const std::size_t shared = shared_bytes<kSlots>(problem.block_size);
  softmax_top_k<kSlots><<<grid, block, shared, stream>>>(problem.logits, problem.values,
                                                         problem.indices, problem.cols, problem.k);
  worklog::check_launch("softmax_top_k", grid, block, shared);
}

template <typename T>
void launch(const worklog::TopK<T>& problem, cudaStream_t stream) {
  static_assert(slots_for(worklog::kMaxK) == 4, "a case for each power of two");
  switch (slots_for(problem.k)) {
    case 1:
      return launch_with<1>(problem, stream);
    case 2:
      return launch_with<2>(problem, stream);
    default:
      return launch_with<4>(problem, stream);
  }
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "07_topk_fusion",
                      .loads = {2},
                      .stores = {.per_k = 2},
                      .block_sizes = 32,
                      .few_rows_block_sizes = {
                          {1024, 64}, {25000, 256}, {worklog::BlockSizes::kAnyWidth, 512}}});
