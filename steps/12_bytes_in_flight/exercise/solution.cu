// Exercise 12: eight on their way
//
// A thread asks for eight columns before it needs the first: 32 bytes in flight instead of 4. Loads
// of one element do for that, so that rows may begin anywhere.

#include <cstdint>

#include "common/exercise/exercise.h"
#include "normalizer.cuh"

namespace {

using namespace given;

// The columns that a thread has on their way at once.
constexpr int kPerTile = 8;
struct Tile {
  float values[kPerTile];
};

// ---- your part begins ----

// The columns first, first + blockDim.x, ... of a row. Those that it does not have read as -inf,
// which adds nothing to a sum.
__device__ Tile load_tile(const float* x, std::int64_t first, std::int64_t cols) {
  Tile tile;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    const std::int64_t col = first + i * blockDim.x;
    tile.values[i] = col < cols ? x[col] : kNegativeInfinity;
  }
  return tile;
}

// What is known of a row, `a`, with a tile added to it. One rescale is for all values of the tile.
__device__ Normalizer combine_tile(Normalizer a, const Tile& tile) {
  float m = a.m;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    m = fmaxf(m, tile.values[i]);  // drops a NaN, which its exponential brings back
  }
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    sum += expf(tile.values[i] - origin);
  }
  return {m, a.d * expf(a.m - origin) + sum};
}

// ---- your part ends ----

__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  const std::int64_t tile_stride = kPerTile * blockDim.x;

  Normalizer mine;
  for (std::int64_t first = threadIdx.x; first < cols; first += tile_stride) {
    mine = combine_tile(mine, load_tile(x, first, cols));
  }
  const Normalizer row = block_reduce(mine);
  for (std::int64_t first = threadIdx.x; first < cols; first += tile_stride) {
    const Tile tile = load_tile(x, first, cols);
#pragma unroll
    for (int i = 0; i < kPerTile; ++i) {
      const std::int64_t col = first + i * blockDim.x;
      if (col < cols) y[col] = expf(tile.values[i] - row.m) / row.d;
    }
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 3000,
                          .counters = {"loads_per_element", "stores_per_element",
                                       "global_load_requests", "global_load_sectors"},
                          .block_size = 128});
