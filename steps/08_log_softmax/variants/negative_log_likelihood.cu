// Step 08, variant: the loss of one label a row
//
// A classifier's loss is minus the log-softmax of one column. Only that one is needed, so the
// second pass over the row is a single load.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/device/normalizer.cuh"
#include "common/device/row_tiles.cuh"
#include "common/step/step.h"

namespace {

using namespace worklog::device;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// NaN for a label that is no column.
template <typename T>
__device__ float logit_of(const T* x, std::int64_t label, std::int64_t cols) {
  return 0 <= label && label < cols ? static_cast<float>(x[label]) : kNan;
}

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    negative_log_likelihood(const T* logits, const std::int64_t* labels, float* losses,
                            std::int64_t cols) {
  const T* x = logits + blockIdx.x * cols;
  const Cut cut = cut_row(x, cols);
  const auto* x_vectors = reinterpret_cast<const Vector*>(x + cut.head);
  const std::int64_t tile_stride = kInFlight<T> * blockDim.x;
  const bool has_edge = threadIdx.x < cut.edges;
  const std::int64_t edge =
      threadIdx.x < cut.head ? threadIdx.x : threadIdx.x + cut.vectors * kPerVector<T>;

  const float edge_logit = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  Normalizer mine;
  for (std::int64_t first = threadIdx.x; first < cut.vectors; first += tile_stride) {
    mine = combine_tile(mine, load_tile<T, Read::kLast>(x_vectors, first, cut.vectors));
  }
  mine = combine(mine, {edge_logit, 1.0f});
  const Normalizer row = block_reduce(mine);
  if (threadIdx.x == 0) {
    const float logit = logit_of(x, labels[blockIdx.x], cols);
    losses[blockIdx.x] = logf(row.d) - (logit - row.m);
  }
}

template <typename T>
void launch(const worklog::NegativeLogLikelihood<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  negative_log_likelihood<<<grid, block, 0, stream>>>(problem.logits, problem.labels,
                                                      problem.losses, problem.cols);
  worklog::check_launch("negative_log_likelihood", grid, block);
}

}  // namespace

WORKLOG_STEP(
    launch,
    {.builds_on = "08_log_softmax",
     .loads = {.per_column = 1, .per_row = 2},
     .stores = {.per_row = 1},
     .block_sizes = {{1024, 32}, {4096, 128}, {10000, 64}, {worklog::BlockSizes::kAnyWidth, 256}},
     .few_rows_block_sizes = {{10000, 256}, {32000, 512}, {worklog::BlockSizes::kAnyWidth, 1024}}});
