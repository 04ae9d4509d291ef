// Step 08: log-softmax
//
// log(softmax(x)) takes the logarithm of a number that may have become 0. The logarithm of the
// quotient is a difference, x - m - log d, which overflows only where the result itself does: the
// passes of step 06 with another last line.

#include <cuda_runtime.h>

#include <cstdint>

#include "common/device/normalizer.cuh"
#include "common/device/row_tiles.cuh"
#include "common/step/step.h"

namespace {

using namespace worklog::device;

// Not x - (m + log d), which is one subtraction less: where m is large, the sum has no digits left
// for log d.
__device__ float log_softmax_of(float x, float m, float log_d) {
  return x - m - log_d;
}

template <typename T>
__device__ Tile<T> log_softmax_of(Tile<T> tile, float m, float log_d) {
  T* values = reinterpret_cast<T*>(&tile);
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    values[i] = static_cast<T>(log_softmax_of(static_cast<float>(values[i]), m, log_d));
  }
  return tile;
}

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    log_softmax(const T* logits, T* log_probabilities, std::int64_t cols) {
  const T* x = logits + blockIdx.x * cols;
  T* y = log_probabilities + blockIdx.x * cols;
  const Cut cut = cut_row(x, cols);
  const auto* x_vectors = reinterpret_cast<const Vector*>(x + cut.head);
  const std::int64_t tile_stride = kInFlight<T> * blockDim.x;
  const bool has_edge = threadIdx.x < cut.edges;
  const std::int64_t edge =
      threadIdx.x < cut.head ? threadIdx.x : threadIdx.x + cut.vectors * kPerVector<T>;

  const float edge_logit = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  Normalizer mine;
  for (std::int64_t first = threadIdx.x; first < cut.vectors; first += tile_stride) {
    mine = combine_tile(mine, load_tile<T, Read::kFirst>(x_vectors, first, cut.vectors));
  }
  mine = combine(mine, {edge_logit, 1.0f});
  const Normalizer row = block_reduce(mine);
  const float log_d = logf(row.d);
  if (has_edge) {
    y[edge] = static_cast<T>(log_softmax_of(static_cast<float>(x[edge]), row.m, log_d));
  }
  for (std::int64_t first = threadIdx.x; first < cut.vectors; first += tile_stride) {
    const Tile<T> tile = load_tile<T, Read::kLast>(x_vectors, first, cut.vectors);
    store_tile(log_softmax_of(tile, row.m, log_d), y + cut.head, first, cut.vectors);
  }
}

template <typename T>
void launch(const worklog::LogSoftmax<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  log_softmax<<<grid, block, 0, stream>>>(problem.logits, problem.log_probabilities, problem.cols);
  worklog::check_launch("log_softmax", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "06_vectorized",
                      .loads = {2},
                      .stores = {1},
                      .block_sizes = {{1024, 32},
                                      {4096, 128},
                                      {10000, 256},
                                      {32000, 512},
                                      {worklog::BlockSizes::kAnyWidth, 1024}},
                      .few_rows_block_sizes = {
                          {4096, 128}, {32000, 512}, {worklog::BlockSizes::kAnyWidth, 1024}}});
