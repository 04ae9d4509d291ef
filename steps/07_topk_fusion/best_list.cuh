// The K best columns of a row, kept by a warp.
//
// The list is sorted and lies in registers: place p in lane p % 32, slot p / 32, so that 32 places
// cost one slot. A column enters only if it beats the last of the K, and one comparison with that
// threshold is all that most columns ever see.
#pragma once

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>
#include <cstdint>

namespace topk {

constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// Integers in the order in which logits rank: NaN above +inf, -0 equal to 0, and a place that
// nobody holds yet below -inf, which is a column like any other.
constexpr int kEmpty = INT_MIN;
constexpr int kRankOfNaN = INT_MAX;
constexpr int kRankOfInfinity = 0x7f800000;  // the bits of +inf
constexpr int kAllButSign = 0x7fffffff;

__device__ inline int rank_of(float x) {
  if (x != x) return kRankOfNaN;
  const int bits = __float_as_int(x + 0.0f);  // -0 + 0 is 0
  return bits >= 0 ? bits : bits ^ kAllButSign;
}

// The inverse of rank_of; NaN next to kEmpty.
__device__ inline float value_of(int rank) {
  return __int_as_float(rank >= 0 ? rank : rank ^ kAllButSign);
}

struct Entry {
  int rank = kEmpty;
  std::int64_t column = INT64_MAX;
};

__device__ inline bool beats(Entry a, Entry b) {
  return a.rank > b.rank || (a.rank == b.rank && a.column < b.column);
}

__device__ inline Entry shuffle(Entry mine, int lane) {
  return {__shfl_sync(kAllLanes, mine.rank, lane), __shfl_sync(kAllLanes, mine.column, lane)};
}

constexpr int slots_for(int k) {
  return (k + kWarpSize - 1) / kWarpSize;
}

// kSlots must be slots_for(k): the last of the k places is then in the last slot.
template <int kSlots>
struct BestList {
  __device__ explicit BestList(int k) : k(k) {}

  int k;
  Entry slots[kSlots];

  // The rank of the k-th best, which a newcomer needs at least; any but kEmpty while places are
  // empty.
  int bar = kEmpty + 1;

  // The same as a logit. One that is not above it cannot enter, if its column comes after all that
  // were offered so far: of equals the lower column wins. It starts as NaN, and nothing is "not
  // above" NaN.
  float threshold = value_of(kEmpty + 1);
};

// Puts `entry`, the same in every lane, in its place, if that is one of the k. Those behind it move
// up one lane.
template <int kSlots>
__device__ void insert(BestList<kSlots>& best, Entry entry) {
  int place = 0;
#pragma unroll
  for (int s = 0; s < kSlots; ++s) {
    place += __popc(__ballot_sync(kAllLanes, beats(best.slots[s], entry)));
  }
  if (place >= best.k) return;

  const int lane = threadIdx.x % kWarpSize;
  Entry pushed_out;  // of the slot before
#pragma unroll
  for (int s = 0; s < kSlots; ++s) {
    const Entry left_neighbour = shuffle(best.slots[s], (lane + kWarpSize - 1) % kWarpSize);
    const int here = s * kWarpSize + lane;
    if (here == place) best.slots[s] = entry;
    if (here > place) best.slots[s] = lane == 0 ? pushed_out : left_neighbour;
    pushed_out = left_neighbour;  // lane 0 has the last of this slot
  }
  const int last = __shfl_sync(kAllLanes, best.slots[kSlots - 1].rank, (best.k - 1) % kWarpSize);
  best.bar = max(last, kEmpty + 1);
  best.threshold = value_of(min(best.bar, kRankOfInfinity));  // only NaN is not <= +inf
}

// Every lane of the warp offers an entry, in any order; empty ones never enter.
template <int kSlots>
__device__ void offer(BestList<kSlots>& best, Entry mine) {
  unsigned waiting = __ballot_sync(kAllLanes, mine.rank >= best.bar);
  while (waiting != 0) {
    insert(best, shuffle(mine, __ffs(waiting) - 1));
    waiting &= waiting - 1;
    waiting &= __ballot_sync(kAllLanes, mine.rank >= best.bar);  // the bar has risen
  }
}

// Every lane of the warp offers kCount neighbouring columns, or none if not `present`. They must
// come after all columns offered so far.
template <int kCount, int kSlots, typename T>
__device__ void offer_columns(BestList<kSlots>& best, const T* x, std::int64_t first,
                              bool present) {
  bool promising = false;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    promising |= !(static_cast<float>(x[i]) <= best.threshold);
  }
  if (!__any_sync(kAllLanes, promising)) return;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const float mine = static_cast<float>(x[i]);
    // Not yet "<=": of these columns a later one may be offered before an equal one to its left.
    if (!__any_sync(kAllLanes, !(mine < best.threshold))) continue;
    offer(best, present ? Entry{rank_of(mine), first + i} : Entry{});
  }
}

// Shared memory that merge_warps needs, in bytes.
template <int kSlots>
constexpr std::size_t merge_bytes(int block_size) {
  return block_size / kWarpSize / 2 * kSlots * kWarpSize * sizeof(Entry);
}

// The first warp's list becomes the block's. In each round the upper half of the warps hand their
// lists to the lower half, who take them as offers.
template <int kSlots>
__device__ void merge_warps(BestList<kSlots>& best) {
  extern __shared__ Entry lists[];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  for (int warps = blockDim.x / kWarpSize; warps > 1; warps = (warps + 1) / 2) {
    const int takers = warps / 2;
    const int first_giver = warps - takers;
    if (warp >= first_giver && warp < warps) {
      Entry* list = lists + (warp - first_giver) * kSlots * kWarpSize;
#pragma unroll
      for (int s = 0; s < kSlots; ++s) {
        list[s * kWarpSize + lane] = best.slots[s];
      }
    }
    __syncthreads();
    if (warp < takers) {
      const Entry* list = lists + warp * kSlots * kWarpSize;
      for (int s = 0; s < kSlots; ++s) {
        offer(best, list[s * kWarpSize + lane]);
      }
    }
    __syncthreads();
  }
}

// The first warp writes the k entries of its block's row, with value(x) for a logit of x.
template <int kSlots, typename Value>
__device__ void write(const BestList<kSlots>& best, float* values, std::int64_t* indices,
                      Value value) {
  if (threadIdx.x >= kWarpSize) return;
  const std::int64_t row_begin = static_cast<std::int64_t>(blockIdx.x) * best.k;
#pragma unroll
  for (int s = 0; s < kSlots; ++s) {
    const int place = s * kWarpSize + threadIdx.x;
    if (place < best.k) {
      values[row_begin + place] = value(value_of(best.slots[s].rank));
      indices[row_begin + place] = best.slots[s].column;
    }
  }
}

}  // namespace topk
