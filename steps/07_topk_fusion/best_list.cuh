// The K best columns of a row, kept by a warp.
//
// The list is sorted and lies in registers: entry e in lane e % 32, slot e / 32, so that 32 places
// cost one slot. A column enters only if it beats the last of the K: that one comparison with a
// threshold is all that most columns ever see.
#pragma once

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>
#include <cstdint>

namespace topk {

constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// Integers that order as the logits rank: NaN above +inf, -0 equal to 0, and a place that is still
// empty below -inf, which is a column like any other.
constexpr int kEmpty = INT_MIN;
constexpr int kRankOfNaN = INT_MAX;
constexpr int kRankOfInfinity = 0x7f800000;  // the bits of +inf
constexpr int kAllButSign = 0x7fffffff;

__device__ inline int rank_of(float x) {
  if (x != x) return kRankOfNaN;
  const int bits = __float_as_int(x + 0.0f);  // -0 + 0 is 0
  return bits >= 0 ? bits : bits ^ kAllButSign;
}

// The inverse of rank_of; NaN for kEmpty.
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

// kSlots must be slots_for(k): the last of the k entries is then in the last slot.
template <int kSlots>
struct BestList {
  __device__ explicit BestList(int k) : k(k) {}

  int k;
  Entry slots[kSlots] = {};
  Entry last = {};  // the k-th best, in every lane

  // A logit that is not above this cannot enter, if its column comes after all columns offered so
  // far. NaN while the list has empty places: nothing is "not above" NaN.
  float threshold = value_of(kEmpty);
};

// Puts `entry`, the same in every lane, in its place; those behind it move up one lane.
template <int kSlots>
__device__ void insert(BestList<kSlots>& best, Entry entry) {
  const int lane = threadIdx.x % kWarpSize;
  int place = 0;
  for (int s = 0; s < kSlots; ++s) {
    place += __popc(__ballot_sync(kAllLanes, beats(best.slots[s], entry)));
  }
  Entry pushed_out;
  for (int s = 0; s < kSlots; ++s) {
    const Entry before = shuffle(best.slots[s], (lane + kWarpSize - 1) % kWarpSize);
    const int here = s * kWarpSize + lane;
    if (here == place) best.slots[s] = entry;
    if (here > place) best.slots[s] = lane == 0 ? pushed_out : before;
    pushed_out = before;  // lane 0 has the slot's last entry
  }
  best.last = shuffle(best.slots[kSlots - 1], (best.k - 1) % kWarpSize);
  // The threshold +inf in place of NaN keeps everything but NaN out.
  best.threshold = value_of(min(best.last.rank, kRankOfInfinity));
}

// Every lane of the warp offers an entry; an empty one never enters.
template <int kSlots>
__device__ void offer(BestList<kSlots>& best, Entry mine) {
  unsigned waiting = __ballot_sync(kAllLanes, beats(mine, best.last));
  while (waiting != 0) {
    insert(best, shuffle(mine, __ffs(waiting) - 1));
    waiting &= waiting - 1;
    waiting &= __ballot_sync(kAllLanes, beats(mine, best.last));  // the last one is better now
  }
}

// Every lane of the warp offers kCount neighbouring columns, or none if not `present`. They must
// come after all columns offered so far, and rise from lane to lane.
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
    offer(best, present ? Entry{rank_of(static_cast<float>(x[i])), first + i} : Entry{});
  }
}

// Shared memory of merge_warps, in bytes.
template <int kSlots>
constexpr std::size_t merge_bytes(int block_size) {
  const std::size_t warps = block_size / kWarpSize;
  return warps / 2 * kSlots * kWarpSize * sizeof(Entry);
}

// The first warp's list becomes the block's: in each round the upper half of the warps that are
// left hand their lists down to the lower half, who take them as offers.
template <int kSlots>
__device__ void merge_warps(BestList<kSlots>& best) {
  extern __shared__ Entry lists[];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  for (int warps = blockDim.x / kWarpSize; warps > 1; warps = (warps + 1) / 2) {
    const int receivers = warps / 2;
    const int first_giver = warps - receivers;
    if (warp >= first_giver && warp < warps) {
      Entry* list = lists + (warp - first_giver) * kSlots * kWarpSize;
      for (int s = 0; s < kSlots; ++s) {
        list[s * kWarpSize + lane] = best.slots[s];
      }
    }
    __syncthreads();
    if (warp < receivers) {
      const Entry* list = lists + warp * kSlots * kWarpSize;
      for (int s = 0; s < kSlots; ++s) {
        offer(best, list[s * kWarpSize + lane]);
      }
    }
    __syncthreads();
  }
}

// The first warp writes the k entries of this block's row; value(x) is what to write for a logit x.
template <int kSlots, typename Value>
__device__ void write(const BestList<kSlots>& best, float* values, std::int64_t* indices,
                      Value value) {
  const std::int64_t row_begin = static_cast<std::int64_t>(blockIdx.x) * best.k;
  if (threadIdx.x >= kWarpSize) return;
  for (int s = 0; s < kSlots; ++s) {
    const int place = s * kWarpSize + threadIdx.x;
    if (place < best.k) {
      values[row_begin + place] = value(value_of(best.slots[s].rank));
      indices[row_begin + place] = best.slots[s].column;
    }
  }
}

}  // namespace topk
