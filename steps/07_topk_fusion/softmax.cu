// Step 07: softmax fused with top-k
//
// Whoever asks for the K largest probabilities does not need the others, so this step stores none
// of them. One pass carries (m, d) and the K best logits together, and only those K are turned into
// probabilities: a row is read once, and K values and columns are all that is written.
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", algorithm 4)

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

// What is known of a row so far: its maximum m, and d, the sum of exp(x - m).
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 3.1)
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

// Every lane returns the combination of all 32. The maximum comes first, so that a lane rescales
// its sum once: combine() in all five rounds costs ten exponentials, nine of them for nothing
// (step 05 has that version, variants/combine_every_round.cu).
__device__ Normalizer warp_reduce(Normalizer mine) {
  float m = mine.m;
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, distance));  // drops a NaN, but d keeps it
  }
  float d = m == kNegativeInfinity ? mine.d : mine.d * expf(mine.m - m);
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    d += __shfl_xor_sync(kAllLanes, d, distance);
  }
  return {m, d};
}

// Every thread returns the combination of all threads of the block.
__device__ Normalizer block_reduce(Normalizer mine) {
  __shared__ float warp_m[kMaxWarps], warp_d[kMaxWarps], row_m, row_d;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine);
  if (lane == 0) {
    warp_m[warp] = mine.m;
    warp_d[warp] = mine.d;
  }
  __syncthreads();
  if (warp == 0) {
    mine = warp_reduce(lane < warps ? Normalizer{warp_m[lane], warp_d[lane]} : Normalizer{});
    if (lane == 0) {
      row_m = mine.m;
      row_d = mine.d;
    }
  }
  __syncthreads();
  return {row_m, row_d};
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

#pragma unroll 1  // a list is short
  for (int place = lane; place < k; place += kWarpSize) {
    best[place] = kNobody;
  }
  __syncwarp();
  Normalizer mine;
  // The lanes of a warp go through their columns together, for they share a list.
  for (std::int64_t first = warp * kWarpSize; first < cols; first += blockDim.x) {
    const std::int64_t col = first + lane;
    Entry entry = kNobody;
    if (col < cols) {
      const float logit = static_cast<float>(x[col]);
      mine = combine(mine, {logit, 1.0f});
      entry = entry_of(logit, col);
    }
    offer(best, k, entry);
  }
  const Normalizer row = block_reduce(mine);  // its barriers also stand behind all lists

  // The first warp takes the others' lists into its own, which becomes the row's.
  if (warp != 0) return;
  for (int place = lane + k; place - lane < places; place += kWarpSize) {
    offer(best, k, place < places ? lists[place] : kNobody);
  }
  const std::int64_t row_begin = static_cast<std::int64_t>(blockIdx.x) * k;
#pragma unroll 1
  for (int place = lane; place < k; place += kWarpSize) {
    const Entry entry = best[place];
    values[row_begin + place] = expf(logit_of(entry) - row.m) / row.d;
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

WORKLOG_STEP(launch, {.builds_on = "05_warp_shuffle",
                      .loads = {1},
                      .stores = {.per_k = 2},
                      .larger_k = "18_topk_by_threshold"});
