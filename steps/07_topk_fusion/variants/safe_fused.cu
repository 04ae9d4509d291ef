// Step 07, variant: safe softmax fused with top-k
//
// Fusion without the online normalizer: the maximum first, then the sum and the list in a second
// pass. Nothing but K probabilities is stored, but the row is read twice.
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 5.2)

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

struct Max {
  static constexpr float kIdentity = -std::numeric_limits<float>::infinity();
  __device__ float operator()(float a, float b) const {
    return fmaxf(a, b);  // drops a NaN, which its exponential brings back
  }
};

struct Sum {
  static constexpr float kIdentity = 0.0f;
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Every lane returns the combination of all 32.
template <typename Operation>
__device__ float warp_reduce(float mine, Operation combine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = combine(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  }
  return mine;
}

// Every thread returns the combination of all threads of the block. Each operation is a function of
// its own with shared memory of its own, so that no barrier is needed between two of them.
template <typename Operation>
__device__ float block_reduce(float mine, Operation combine) {
  __shared__ float warp_result[kMaxWarps], row_result;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine, combine);
  if (lane == 0) warp_result[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = warp_reduce(lane < warps ? warp_result[lane] : Operation::kIdentity, combine);
    if (lane == 0) row_result = mine;
  }
  __syncthreads();
  return row_result;
}

// A column and the rank of its logit in one number, so that one comparison orders two columns: the
// rank above, and below it the column, inverted, for of equal logits the lower column is the
// better. Ranks are in the order of the logits, NaN above them all, and -0 equal to 0.
using Entry = std::uint64_t;
constexpr Entry kNobody = 0;  // a place that is empty: below -inf, which is a column like any other
constexpr unsigned kSign = 0x80000000;
constexpr unsigned kRankOfNaN = 0xffffffff;

__device__ Entry entry_of(float x, std::int64_t col) {
  const unsigned bits = __float_as_uint(x + 0.0f);  // -0 + 0 is 0
  const unsigned rank = x != x ? kRankOfNaN : bits < kSign ? bits | kSign : ~bits;
  return static_cast<Entry>(rank) << 32 | ~static_cast<unsigned>(col);
}

__device__ float logit_of(Entry entry) {
  const auto rank = static_cast<unsigned>(entry >> 32);
  return __uint_as_float(rank >= kSign ? rank & ~kSign : ~rank);
}

__device__ std::int64_t column_of(Entry entry) {
  return ~static_cast<unsigned>(entry);
}

// Puts an entry where it belongs in a warp's list of the k best, and the last one falls out. Each
// place takes the better of what it had and what comes from its left: the entry or its neighbour,
// whichever is the worse. A list of more than 32 takes a turn for each 32 places, from its end, so
// that no turn overwrites what the next one reads.
__device__ void insert(Entry* best, int k, Entry entry) {
  const int lane = threadIdx.x % kWarpSize;
  for (int first = (k - 1) / kWarpSize * kWarpSize; first >= 0; first -= kWarpSize) {
    const int place = first + lane;
    const Entry mine = place < k ? best[place] : kNobody;
    const Entry left = 0 < place && place < k ? best[place - 1] : entry;
    const Entry from_left = left < entry ? left : entry;
    __syncwarp();  // all have read what is about to change
    if (place < k) best[place] = mine > from_left ? mine : from_left;
    __syncwarp();
  }
}

// Takes those of a warp's entries, one a lane, that are better than the k-th best into its list.
__device__ void offer(Entry* best, int k, Entry mine) {
  const int lane = threadIdx.x % kWarpSize;
  while (const unsigned better = __ballot_sync(kAllLanes, mine > best[k - 1])) {
    const int next = __ffs(better) - 1;
    insert(best, k, __shfl_sync(kAllLanes, mine, next));
    if (lane == next) mine = kNobody;
  }
}

template <typename T>
__global__ void softmax_top_k(const T* logits, float* values, std::int64_t* indices,
                              std::int64_t cols, int k) {
  extern __shared__ Entry lists[];  // k places a warp, the best first
  const T* x = logits + blockIdx.x * cols;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int places = blockDim.x / kWarpSize * k;
  Entry* best = lists + warp * k;

  float m = Max::kIdentity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    m = fmaxf(m, static_cast<float>(x[col]));
  }
  m = block_reduce(m, Max());
#pragma unroll 1  // a list is short
  for (int place = lane; place < k; place += kWarpSize) {
    best[place] = kNobody;
  }
  __syncwarp();
  float d = 0.0f;
  // The lanes of a warp go through their columns together, for they share a list.
  for (std::int64_t first = warp * kWarpSize; first < cols; first += blockDim.x) {
    const std::int64_t col = first + lane;
    Entry entry = kNobody;
    if (col < cols) {
      const float logit = static_cast<float>(x[col]);
      d += expf(logit - m);
      entry = entry_of(logit, col);
    }
    offer(best, k, entry);
  }
  d = block_reduce(d, Sum());  // its barriers also stand behind all lists

  // The first warp takes the others' lists into its own, which becomes the row's.
  if (warp != 0) return;
  for (int place = lane + k; place - lane < places; place += kWarpSize) {
    offer(best, k, place < places ? lists[place] : kNobody);
  }
  const std::int64_t row_begin = static_cast<std::int64_t>(blockIdx.x) * k;
#pragma unroll 1
  for (int place = lane; place < k; place += kWarpSize) {
    const Entry entry = best[place];
    values[row_begin + place] = expf(logit_of(entry) - m) / d;
    indices[row_begin + place] = column_of(entry);
  }
}

// A list for each warp.
std::size_t list_bytes(int block_size, int k) {
  return block_size / kWarpSize * k * sizeof(Entry);
}

template <typename T>
void launch(const worklog::TopK<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  const std::size_t shared = list_bytes(problem.block_size, problem.k);
  softmax_top_k<<<grid, block, shared, stream>>>(problem.logits, problem.values, problem.indices,
                                                 problem.cols, problem.k);
  worklog::check_launch("softmax_top_k", grid, block, shared);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "07_topk_fusion",
                      .loads = {2},
                      .stores = {.per_k = 2},
                      .larger_k = "18_topk_by_threshold"});
