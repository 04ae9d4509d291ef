// Exercise 04: a tile of rows
//
// A thread per row, as in step 03. Each warp takes its 32 rows through shared memory, in tiles of
// 32 columns, but its lanes still load as if there were no tile.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "common/exercise/exercise.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kTile = 32;  // rows of a warp's tile, one for each lane, and columns
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// What is known of a row so far: its maximum m, and d, the sum of exp(x - m).
struct Normalizer {
  float m = kNegativeInfinity;
  float d = 0.0f;
};

// A NaN or +inf on either side makes d NaN, and with it the row.
__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float m = a.m > b.m ? a.m : b.m;              // not fmaxf, which drops a NaN
  if (m == kNegativeInfinity) return {m, a.d + b.d};  // -inf - -inf would be NaN
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

// ---- your part begins ----

// The floats of a tile, and which of them is whose. A row has one float more than columns, so that
// those of a column lie in 32 banks.
constexpr int kPitch = kTile + 1;
constexpr int kPlaces = kTile * kPitch;
__device__ int place(int row, int col) {
  return row * kPitch + col;
}

// Loads the columns from `first` on of a warp's rows, which begin at x. The lanes read side by
// side.
__device__ void load_tile(float* tile, const float* x, int rows, std::int64_t cols,
                          std::int64_t first) {
  const int lane = threadIdx.x % kWarpSize;
  if (first + lane >= cols) return;
  for (int row = 0; row < rows; ++row) {
    tile[place(row, lane)] = x[row * cols + first + lane];
  }
}

// Every lane returns the pair of its own row, if it has one.
__device__ Normalizer combine_row(float* tile, const float* x, int rows, std::int64_t cols) {
  const int lane = threadIdx.x % kWarpSize;
  Normalizer mine;
  for (std::int64_t first = 0; first < cols; first += kTile) {
    load_tile(tile, x, rows, cols, first);
    __syncthreads();  // the tile is there
    for (int col = 0; lane < rows && col < kTile && first + col < cols; ++col) {
      mine = combine(mine, {tile[place(lane, col)], 1.0f});
    }
    __syncthreads();  // nobody needs it any more
  }
  return mine;
}

// ---- your part ends ----

std::size_t shared_bytes(int block_size) {
  return block_size / kWarpSize * kPlaces * sizeof(float);
}

// A warp owns 32 rows. The last ones may own fewer, or none: they must come to every barrier.
__global__ void softmax(const float* logits, float* probabilities, std::int64_t rows,
                        std::int64_t cols) {
  extern __shared__ float shared[];  // shared_bytes(blockDim.x)
  const int warp = threadIdx.x / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  const std::int64_t first_row = std::int64_t{blockIdx.x} * blockDim.x + warp * kWarpSize;
  const std::int64_t left = first_row < rows ? rows - first_row : 0;
  const int own_rows = left < kWarpSize ? static_cast<int>(left) : kWarpSize;
  const float* x = logits + first_row * cols;
  float* y = probabilities + first_row * cols;
  float* tile = shared + warp * kPlaces;

  const Normalizer mine = combine_row(tile, x, own_rows, cols);
  __syncthreads();
  // From here on a lane needs the pair of every row of its warp.
  float* row_m = tile;
  float* row_d = tile + kWarpSize;
  row_m[lane] = mine.m;
  row_d[lane] = mine.d;
  __syncthreads();
  for (int row = 0; row < own_rows; ++row) {
    for (std::int64_t col = lane; col < cols; col += kWarpSize) {
      const std::int64_t at = row * cols + col;
      y[at] = expf(x[at] - row_m[row]) / row_d[row];
    }
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid((problem.rows + problem.block_size - 1) / problem.block_size);
  const dim3 block(problem.block_size);
  const std::size_t shared = shared_bytes(problem.block_size);
  softmax<<<grid, block, shared, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                           problem.cols);
  worklog::check_launch("softmax", grid, block, shared);
}

}  // namespace

WORKLOG_EXERCISE(launch,
                 {.rows = 64,
                  .cols = 1000,
                  .counters = {"loads_per_element", "stores_per_element", "global_load_requests",
                               "global_load_sectors", "block_barriers",
                               "shared_load_bank_conflicts", "shared_store_bank_conflicts"},
                  .block_size = 64,
                  .serial_sum = true});
