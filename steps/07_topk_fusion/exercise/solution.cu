// Exercise 07: merge two lists
//
// A warp has a row, and every lane keeps the best of the columns that it saw, in order. Five rounds
// of shuffles make one list of 32.

#include <cstdint>

#include "common/exercise/exercise.h"
#include "normalizer.cuh"

namespace {

using namespace given;

constexpr int kMost = 8;  // the largest k of this exercise

// A column and its logit. One of column -1 is nobody's.
struct Entry {
  float x = kNegativeInfinity;
  int column = -1;
};

// The order of the results: NaN above all, then the larger logit, of equal ones the lower column.
__device__ bool is_better(Entry a, Entry b) {
  if (a.column < 0 || b.column < 0) return a.column >= 0;
  const bool a_is_nan = a.x != a.x, b_is_nan = b.x != b.x;
  if (a_is_nan != b_is_nan) return a_is_nan;
  if (a_is_nan || a.x == b.x) return a.column < b.column;
  return a.x > b.x;
}

// The best first. Those that do not exist yet are nobody's.
struct List {
  Entry entries[kMost];
};

__device__ void insert(List& list, Entry entry) {
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    if (is_better(entry, list.entries[i])) {
      const Entry worse = list.entries[i];
      list.entries[i] = entry;
      entry = worse;
    }
  }
}

__device__ List list_of_lane(const List& mine, int distance) {
  List other;
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    other.entries[i].x = __shfl_xor_sync(kAllLanes, mine.entries[i].x, distance);
    other.entries[i].column = __shfl_xor_sync(kAllLanes, mine.entries[i].column, distance);
  }
  return other;
}

// ---- your part begins ----

// The kMost best of both lists, the best first.
__device__ List merge(const List& a, const List& b) {
  List both = a;
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    insert(both, b.entries[i]);
  }
  return both;
}

// Every lane returns the best of all lanes' lists.
__device__ List best_of_warp(List mine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = merge(mine, list_of_lane(mine, distance));
  }
  return mine;
}

// ---- your part ends ----

// A block of one warp: a warp a row.
__global__ void softmax_top_k(const float* logits, float* values, std::int64_t* indices,
                              std::int64_t cols, int k) {
  const float* x = logits + blockIdx.x * cols;

  Normalizer mine;
  List best;
  for (int col = threadIdx.x; col < cols; col += kWarpSize) {
    const float logit = x[col];
    mine = combine(mine, {logit, 1.0f});
    insert(best, {logit, col});
  }
  const Normalizer row = warp_reduce(mine);
  best = best_of_warp(best);
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    if (i < k) {
      values[blockIdx.x * k + i] = expf(best.entries[i].x - row.m) / row.d;
      indices[blockIdx.x * k + i] = best.entries[i].column;
    }
  }
}

void launch(const worklog::TopK<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(kWarpSize);
  softmax_top_k<<<grid, block, 0, stream>>>(problem.logits, problem.values, problem.indices,
                                            problem.cols, problem.k);
  worklog::check_launch("softmax_top_k", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 1000,
                          .k = 5,
                          .counters = {"loads_per_element", "stores_per_element", "shuffles",
                                       "block_barriers", "shared_store_requests"},
                          .block_size = 32,
                          .fixed_block_size = true});
