// Step 11, variant: three launches
//
// A launch of one block combines the pairs, so that the others read a single one. It is the form of
// the worklog that this step comes from.
// (Somik, "WorkLog: Optimizing Softmax Kernel", the third kernel)

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

  const float edge = has_edge(cut) ? static_cast<float>(x[edge_column<T>(cut)]) : kNegativeInfinity;
  Normalizer mine;
  for (std::int64_t first = blockIdx.x * tile + threadIdx.x; first < cut.vectors;
       first += gridDim.x * tile) {
    mine = combine_tile(mine, load_tile<T, Read::kFirst>(vectors, first, cut.vectors));
  }
  mine = combine(mine, {edge, 1.0f});
  const Normalizer of_block = block_reduce(mine);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
}

// One block: the pair of the whole row.
__global__ void __launch_bounds__(kMaxThreads)
    combine_blocks(const Normalizer* of_blocks, int blocks, Normalizer* of_row) {
  Normalizer mine;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) {
    mine = combine(mine, of_blocks[i]);
  }
  const Normalizer row = block_reduce(mine);
  if (threadIdx.x == 0) *of_row = row;
}

// One thread fetches what all need, so that a block loads it once.
__device__ Normalizer broadcast(const Normalizer* value) {
  __shared__ float m, d;
  if (threadIdx.x == 0) {
    const Normalizer row = *value;
    m = row.m;
    d = row.d;
  }
  __syncthreads();
  return {m, d};
}

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    divide_row(const T* x, T* y, std::int64_t cols, const Normalizer* of_row) {
  const Cut cut = cut_row(x, cols);
  const auto* vectors = reinterpret_cast<const Vector*>(x + cut.head);
  const std::int64_t share = kInFlight<T> * blockDim.x;
  const std::int64_t first = blockIdx.x * share + threadIdx.x;

  // The logits are asked for before the wait for the row's pair.
  const auto logits = load_tile<T, Read::kLast>(vectors, first, cut.vectors);
  const Normalizer row = broadcast(of_row);
  store_tile(softmax_of(logits, row), y + cut.head, first, cut.vectors);
  if (has_edge(cut)) {
    const std::int64_t col = edge_column<T>(cut);
    y[col] = static_cast<T>(expf(static_cast<float>(x[col]) - row.m) / row.d);
  }
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const dim3 few(reducing_blocks(problem.cols, problem.block_size));
  const dim3 one(1);
  const dim3 many(dividing_blocks(problem.cols, problem.block_size));
  const dim3 block(problem.block_size);
  auto* const of_blocks = problem.scratch.template take<Normalizer>(few.x);
  auto* const of_row = problem.scratch.template take<Normalizer>(1);

  reduce_row<<<few, block, 0, stream>>>(problem.logits, problem.cols, of_blocks);
  worklog::check_launch("reduce_row", few, block);
  combine_blocks<<<one, block, 0, stream>>>(of_blocks, few.x, of_row);
  worklog::check_launch("combine_blocks", one, block);
  divide_row<<<many, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols,
                                         of_row);
  worklog::check_launch("divide_row", many, block);
}

// The smallest block has the smallest share, and so the most blocks.
std::int64_t scratch_bytes(std::int64_t, std::int64_t cols, std::size_t) {
  return worklog::Scratch::bytes_for(reducing_blocks(cols, kWarpSize), sizeof(Normalizer)) +
         worklog::Scratch::bytes_for(1, sizeof(Normalizer));
}

// Pairs: each block's is read by combine_blocks, and the row's by every block of divide_row.
std::int64_t partial_loads(std::int64_t cols, int block_size) {
  return reducing_blocks(cols, block_size) + dividing_blocks(cols, block_size);
}

std::int64_t partial_stores(std::int64_t cols, int block_size) {
  return reducing_blocks(cols, block_size) + 1;
}

}  // namespace

WORKLOG_STEP(launch,
             {.builds_on = "11_long_row_online",
              .loads = {.per_column = 2, .of_partials = partial_loads},
              .stores = {.per_column = 1, .of_partials = partial_stores},
              .block_sizes = {{4096, 32}, {65536, 64}, {worklog::BlockSizes::kAnyWidth, 256}},
              .max_rows = 1,
              .scratch_bytes = scratch_bytes});
