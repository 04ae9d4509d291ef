// Step 07, variant: safe softmax, then top-k
//
// What one writes from two library calls: a softmax that stores all probabilities (three passes:
// maximum, sum, division), then a top-k that reads them back.
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 4)

#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/step.h"
#include "maximum_and_sum.cuh"
#include "row_tiles.cuh"
#include "store_softmax.cuh"
#include "top_k_of_values.cuh"

namespace {

using namespace topk;

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    softmax(const T* logits, T* probabilities, std::int64_t cols) {
  const RowShare<T> row(logits + blockIdx.x * cols, cols);
  const float m = row_maximum(row);

  float mine = row.has_edge ? expf(row.load_edge() - m) : 0.0f;
  row.for_each_tile([&](const Tile<T>& tile, std::int64_t, std::int64_t) {
    mine += sum_of_exponentials<T>(tile, m);
  });
  const float d = block_reduce<sum>(mine, 0.0f);

  store_softmax(row, probabilities + blockIdx.x * cols, m, d);
}

// Each of the two kernels has its own best block size; the one that is asked for is the softmax's.
template <typename T>
void launch(const worklog::TopK<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  T* probabilities = problem.scratch.template take<T>(problem.rows * problem.cols);
  softmax<<<grid, block, 0, stream>>>(problem.logits, probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
  launch_top_k(probabilities, problem, top_k_block_size(problem.rows, problem.cols), stream);
}

std::int64_t scratch_bytes(std::int64_t rows, std::int64_t cols, std::size_t element_bytes) {
  return worklog::Scratch::bytes_for(rows * cols, element_bytes);
}

}  // namespace

WORKLOG_STEP(
    launch,
    {.builds_on = "06_vectorized",
     .loads = {4},
     .stores = {.per_column = 1, .per_k = 2},
     .block_sizes = {{1024, 32}, {4096, 128}, {10000, 256}, {worklog::BlockSizes::kAnyWidth, 512}},
     .few_rows_block_sizes = {{1024, 64}, {4096, 128}, {worklog::BlockSizes::kAnyWidth, 512}},
     .scratch_bytes = scratch_bytes,
     .top_k_operation = worklog::Operation::kSoftmaxThenTopK});
