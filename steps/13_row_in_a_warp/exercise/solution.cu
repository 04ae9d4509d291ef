// Exercise 13: four rows per warp
//
// A warp owns a row here and reads it three times. Eight lanes can do with one read, and leave room
// for three more rows.

#include <cstdint>
#include <limits>

#include "common/exercise/exercise.h"

namespace {

constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// ---- your part begins ----

// The lanes that own a row.
constexpr int kLanes = 8;

// The largest value of the lanes that own a row.
__device__ float max_of_lanes(float m) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, distance));  // drops a NaN, but d keeps it
  }
  return m;
}

__device__ float sum_of_lanes(float d) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    d += __shfl_xor_sync(kAllLanes, d, distance);
  }
  return d;
}

// A row of at most kPerLane columns for each lane that owns it, which stay in registers.
template <int kPerLane>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t rows,
                        std::int64_t cols) {
  const std::int64_t row = blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const std::int64_t mine = row < rows ? cols : 0;  // lanes without a row shuffle with the others
  const float* x = logits + row * cols;
  float* y = probabilities + row * cols;

  float e[kPerLane];
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int col = lane + i * kLanes;
    e[i] = col < mine ? x[col] : kNegativeInfinity;
    m = fmaxf(m, e[i]);
  }
  m = max_of_lanes(m);
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    e[i] = expf(e[i] - m);
    d += e[i];
  }
  d = sum_of_lanes(d);
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int col = lane + i * kLanes;
    if (col < mine) y[col] = e[i] / d;
  }
}

// ---- your part ends ----

// The kernel for a lane's few columns, or the one for many. A block has as many rows as it has
// groups of kLanes lanes.
void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  constexpr int kFew = 16;
  constexpr int kMany = 128;
  const std::int64_t rows_a_block = problem.block_size / kLanes;
  const dim3 grid(static_cast<unsigned>((problem.rows + rows_a_block - 1) / rows_a_block));
  const dim3 block(problem.block_size);
  if (problem.cols <= kFew * kLanes) {
    softmax<kFew><<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                              problem.cols);
  } else {
    softmax<kMany><<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                               problem.cols);
  }
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch,
                 {.rows = 102,
                  .cols = 96,
                  .counters = {"loads_per_element", "stores_per_element", "global_load_requests",
                               "global_load_sectors", "global_store_sectors", "shuffles"},
                  .block_size = 128});
