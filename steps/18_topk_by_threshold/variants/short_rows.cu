// Step 18, variant: short rows
//
// A row of some hundred columns has few sectors to choose from. Here up to 32 lanes of a warp own a
// row, as in step 13, and take its best column out K times: each lane names the best that it still
// has, and the lanes agree on one. A block has several rows, and none of them waits for a barrier.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxThreads = 1024;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// The columns that a lane holds in registers at most.
constexpr int kMaxPerLane = 16;
constexpr std::int64_t kMaxCols = kMaxPerLane * kWarpSize;
// For a larger K the step's threshold should be faster.
constexpr int kMaxK = 128;

// The larger one, but NaN if one of them is: fmaxf would drop it.
__device__ float max_or_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

// Ranks are in the order of the logits: NaN above them all, and -0 equal to 0.
using Rank = unsigned;
constexpr unsigned kSign = 0x80000000;
constexpr Rank kNoRank = 0;  // of a place that is empty: below that of -inf
constexpr Rank kRankOfNaN = 0xffffffff;

__device__ Rank rank_of(float x) {
  const unsigned bits = __float_as_uint(x + 0.0f);  // -0 + 0 is 0
  return x != x ? kRankOfNaN : bits < kSign ? bits | kSign : ~bits;
}

__device__ float logit_of(Rank rank) {
  return __uint_as_float(rank >= kSign ? rank & ~kSign : ~rank);
}

// A column by its rank and its number, of which the lower is the better among equals: two numbers
// of 32 bits, as lanes exchange them.
struct Entry {
  Rank rank;
  unsigned col;
};
constexpr unsigned kNoColumn = 0xffffffff;  // behind all

__device__ bool is_better(Entry a, Entry b) {
  return a.rank > b.rank || (a.rank == b.rank && a.col < b.col);
}

// The best entry of the kLanes lanes that own a row, for each of them. A whole warp's integers are
// reduced by an instruction.
template <int kLanes>
__device__ Entry best_of_lanes(Entry mine) {
  if constexpr (kLanes == kWarpSize) {
    const Rank rank = __reduce_max_sync(kAllLanes, mine.rank);
    return {rank, __reduce_min_sync(kAllLanes, mine.rank == rank ? mine.col : kNoColumn)};
  } else {
#pragma unroll
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
      const Entry other = {__shfl_xor_sync(kAllLanes, mine.rank, distance),
                           __shfl_xor_sync(kAllLanes, mine.col, distance)};
      if (is_better(other, mine)) mine = other;
    }
    return mine;
  }
}

template <int kLanes>
__device__ float max_of_lanes(float m) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    m = max_or_nan(m, __shfl_xor_sync(kAllLanes, m, distance));
  }
  return m;
}

template <int kLanes>
__device__ float sum_of_lanes(float d) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    d += __shfl_xor_sync(kAllLanes, d, distance);
  }
  return d;
}

// kLanes lanes own a row, of which each holds kPerLane columns that lie kLanes apart.
template <typename T, int kLanes, int kPerLane>
__global__ void __launch_bounds__(kMaxThreads)
    softmax_top_k(const T* logits, float* values, std::int64_t* indices, std::int64_t rows,
                  int cols, int k) {
  static_assert(kWarpSize % kLanes == 0, "a row's lanes are of one warp");
  const std::int64_t rows_a_block = blockDim.x / kLanes;
  const std::int64_t row_index = blockIdx.x * rows_a_block + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const bool has_row = row_index < rows;  // a lane without one shuffles with the others
  const T* x = logits + row_index * cols;

  float tile[kPerLane];
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int col = i * kLanes + lane;
    tile[i] = has_row && col < cols ? static_cast<float>(x[col]) : kNegativeInfinity;
    m = max_or_nan(m, tile[i]);
  }
  m = max_of_lanes<kLanes>(m);
  const float origin = m == kNegativeInfinity ? 0.0f : m;
  float d = 0.0f;
  Rank ranks[kPerLane];
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    d += expf(tile[i] - origin);
    ranks[i] = i * kLanes + lane < cols ? rank_of(tile[i]) : kNoRank;
  }
  d = sum_of_lanes<kLanes>(d);

  // Each lane keeps one of kLanes columns that were found, so that it stores beside the others.
  Entry found = {kNoRank, kNoColumn};
  for (int place = 0; place < k; ++place) {
    Rank rank = kNoRank;
    int at = 0;
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      if (ranks[i] > rank) {
        rank = ranks[i];
        at = i;
      }
    }
    const Entry mine = {rank, static_cast<unsigned>(at * kLanes + lane)};
    const Entry best = best_of_lanes<kLanes>(mine);
    const int taken = best.col == mine.col ? at : kPerLane;
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      if (i == taken) ranks[i] = kNoRank;
    }
    if (lane == place % kLanes) found = best;
    const bool is_last = place % kLanes == kLanes - 1 || place == k - 1;
    if (is_last && has_row && lane <= place % kLanes) {
      const std::int64_t at_place = row_index * k + place / kLanes * kLanes + lane;
      values[at_place] = expf(logit_of(found.rank) - m) / d;
      indices[at_place] = found.col;
    }
  }
}

// The first kernel of a chain that holds the row: a lane's columns double to four, then lanes to a
// whole warp, then columns to all that a lane can hold.
template <typename T, int kLanes = 1, int kPerLane = 1>
void launch_narrowest(const worklog::TopK<T>& problem, cudaStream_t stream) {
  constexpr int kPerLaneFirst = 4;
  if constexpr (kLanes * kPerLane < kMaxCols) {
    if (problem.cols > kLanes * kPerLane) {
      constexpr bool kMoreLanes = kPerLane >= kPerLaneFirst && kLanes < kWarpSize;
      constexpr int kNextLanes = kMoreLanes ? 2 * kLanes : kLanes;
      constexpr int kNextPerLane = kMoreLanes ? kPerLane : 2 * kPerLane;
      launch_narrowest<T, kNextLanes, kNextPerLane>(problem, stream);
      return;
    }
  }
  const std::int64_t rows_a_block = problem.block_size / kLanes;
  const dim3 grid(static_cast<unsigned>((problem.rows + rows_a_block - 1) / rows_a_block));
  const dim3 block(problem.block_size);
  softmax_top_k<T, kLanes, kPerLane>
      <<<grid, block, 0, stream>>>(problem.logits, problem.values, problem.indices, problem.rows,
                                   static_cast<int>(problem.cols), problem.k);
  worklog::check_launch("softmax_top_k", grid, block);
}

template <typename T>
void launch(const worklog::TopK<T>& problem, cudaStream_t stream) {
  launch_narrowest<T>(problem, stream);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "18_topk_by_threshold",
                      .loads = {1},
                      .stores = {.per_k = 2},
                      .max_cols = [](std::size_t, int) { return kMaxCols; },
                      .longer_rows = "18_topk_by_threshold",
                      .max_k = kMaxK,
                      .larger_k = "18_topk_by_threshold",
                      .several_rows_a_block = true});
