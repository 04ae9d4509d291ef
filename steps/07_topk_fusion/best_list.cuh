// The K best columns of a row, kept by a warp.
//
// The list is sorted and lies in registers: place p in lane p % 32, slot p / 32, so that 32 places
// cost one slot. A column enters only if it beats the last of the K, and one comparison with that
// threshold is all that most columns ever see. Those that pass it wait in shared memory until 32
// of them can be sorted and merged with the list at once.
#pragma once

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>
#include <cstdint>

namespace topk {

constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// Numbers in the order in which logits rank: NaN above +inf, -0 equal to 0, and a place that nobody
// holds yet below -inf, which is a column like any other.
constexpr unsigned kEmpty = 0;
constexpr unsigned kRankOfNaN = UINT_MAX;
constexpr unsigned kSign = 0x80000000;
constexpr unsigned kRankOfInfinity = kSign | 0x7f800000;  // its bits

__device__ inline unsigned rank_of(float x) {
  const unsigned bits = __float_as_uint(x + 0.0f);  // -0 + 0 is 0
  const unsigned rank = bits < kSign ? bits | kSign : ~bits;
  return x != x ? kRankOfNaN : rank;
}

// The inverse of rank_of; NaN for kEmpty.
__device__ inline float value_of(unsigned rank) {
  return __uint_as_float(rank >= kSign ? rank & ~kSign : ~rank);
}

// A column and its rank in one number, so that one comparison orders two of them: the rank above,
// the column below. The column is inverted, for of equal ranks the lower column is the better.
using Entry = std::uint64_t;
constexpr Entry kNobody = 0;  // its rank is kEmpty

__device__ inline Entry entry_of(float x, std::int64_t column) {
  return static_cast<Entry>(rank_of(x)) << 32 | ~static_cast<unsigned>(column);
}

__device__ inline unsigned rank_in(Entry entry) {
  return static_cast<unsigned>(entry >> 32);
}

__device__ inline std::int64_t column_in(Entry entry) {
  return ~static_cast<unsigned>(entry);
}

// The slots of a list of k: a power of two, for merge.
constexpr int slots_for(int k) {
  int slots = 1;
  while (slots * kWarpSize < k)
    slots *= 2;
  return slots;
}

// Entries in shared memory: a waiting room of a warp's size for each warp, and later the lists that
// warps hand over.
__device__ inline Entry* shared_entries() {
  extern __shared__ Entry entries[];
  return entries;
}

template <int kSlots>
constexpr std::size_t shared_bytes(int block_size) {
  const int warps = block_size / kWarpSize;
  const int lists = warps / 2 * kSlots;
  return (warps > lists ? warps : lists) * kWarpSize * sizeof(Entry);
}

// kSlots must be slots_for(k). What there is room for behind place k - 1 holds the next best. All
// that takes a list is inlined: one that is passed by its address would lie in local memory.
template <int kSlots>
struct BestList {
  __device__ explicit BestList(int k)
      : k(k), room(shared_entries() + threadIdx.x / kWarpSize * kWarpSize) {}

  int k;
  Entry slots[kSlots] = {};

  // The k-th best as a logit. One that is not above it cannot enter, if its column comes after all
  // that were offered so far: of equals the lower column wins. While places are empty it is NaN,
  // and nothing is "not above" NaN.
  float threshold = value_of(kEmpty);

  Entry* room;      // kWarpSize places, for those that have passed the threshold
  int waiting = 0;  // in the room
};

// One step of a sorting network: lanes `distance` apart exchange entries, and each keeps the larger
// or the smaller of the two.
__device__ __forceinline__ Entry exchange(Entry mine, int distance, bool keeps_larger) {
  const Entry other = __shfl_xor_sync(kAllLanes, mine, distance);
  return (mine > other) == keeps_larger ? mine : other;
}

// Sorts 32 entries over the lanes, the best last. (Batcher's bitonic sort: runs of `length` that
// rise and fall in turn become runs of twice the length.)
__device__ __forceinline__ Entry sort(Entry mine) {
  const int lane = threadIdx.x % kWarpSize;
#pragma unroll
  for (int length = 2; length <= kWarpSize; length *= 2) {
    const bool falls = (lane & length) != 0;
#pragma unroll
    for (int distance = length / 2; distance > 0; distance /= 2) {
      const bool is_upper = (lane & distance) != 0;
      mine = exchange(mine, distance, is_upper != falls);
    }
  }
  return mine;
}

// Sorts the list, the best first, if it is bitonic: if it falls and then rises.
template <int kSlots>
__device__ __forceinline__ void merge_halves(BestList<kSlots>& best) {
  const int lane = threadIdx.x % kWarpSize;
#pragma unroll
  for (int distance = kSlots / 2; distance > 0; distance /= 2) {  // between slots of a lane
#pragma unroll
    for (int s = 0; s < kSlots; ++s) {
      if (s & distance) continue;
      const Entry a = best.slots[s], b = best.slots[s + distance];
      best.slots[s] = a > b ? a : b;
      best.slots[s + distance] = a > b ? b : a;
    }
  }
#pragma unroll
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
#pragma unroll
    for (int s = 0; s < kSlots; ++s) {
      best.slots[s] = exchange(best.slots[s], distance, (lane & distance) == 0);
    }
  }
}

// Takes what is good enough of 32 sorted entries, the best last. They lie under the last slot in
// reverse, so that the better of each two are the best of all, falling and then rising. (Batcher)
template <int kSlots>
__device__ __forceinline__ void merge(BestList<kSlots>& best, Entry batch) {
  Entry& last = best.slots[kSlots - 1];
  if (!__any_sync(kAllLanes, batch > last)) return;
  if (batch > last) last = batch;
  merge_halves(best);
}

template <int kSlots>
__device__ __forceinline__ void update_threshold(BestList<kSlots>& best) {
  const int place = best.k - 1;
  unsigned rank = kEmpty;
#pragma unroll
  for (int s = kSlots / 2; s < kSlots; ++s) {  // k is more than half of the places, or up to 32
    const unsigned in_slot = __shfl_sync(kAllLanes, rank_in(best.slots[s]), place % kWarpSize);
    if (s == place / kWarpSize) rank = in_slot;
  }
  best.threshold = value_of(min(rank, kRankOfInfinity));  // only NaN is not <= +inf
}

// Empties the waiting room into the list. The threshold stays as it was.
template <int kSlots>
__device__ __forceinline__ void empty_room(BestList<kSlots>& best) {
  if (best.waiting == 0) return;
  const int lane = threadIdx.x % kWarpSize;
  __syncwarp();  // all have stored
  const Entry mine = lane < best.waiting ? best.room[lane] : kNobody;
  __syncwarp();  // all have loaded: the room may be used again
  best.waiting = 0;
  merge(best, sort(mine));
}

// Makes places for newcomers.
template <int kSlots>
__device__ __forceinline__ void flush(BestList<kSlots>& best) {
  empty_room(best);
  update_threshold(best);
}

template <int kSlots>
__device__ __forceinline__ bool has_places_for(const BestList<kSlots>& best, unsigned arrivals) {
  return best.waiting + __popc(arrivals) <= kWarpSize;
}

// Puts the entries of those lanes whose bit is set in `arrivals` into the waiting room, side by
// side.
template <int kSlots>
__device__ __forceinline__ void append(BestList<kSlots>& best, unsigned arrivals, Entry mine) {
  const unsigned me = 1u << threadIdx.x % kWarpSize;
  const unsigned before_me = arrivals & (me - 1);
  if (arrivals & me) best.room[best.waiting + __popc(before_me)] = mine;
  best.waiting += __popc(arrivals);
}

// What a lane offers: kVectors vectors of kCount neighbouring columns, each vector `stride` columns
// behind the last. Only those less than `left` behind the first are the row's.
template <int kVectors, int kCount, typename T>
struct Offer {
  static constexpr int kColumns = kVectors * kCount;
  static_assert(kColumns <= 32, "a bit for each");

  const T* x;  // of all vectors
  std::int64_t first, stride, left;

  __device__ __forceinline__ bool is_any_above(float threshold) const {
    bool result = false;
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      result |= !(static_cast<float>(x[i]) <= threshold);
    }
    return result;
  }

  // A bit for each column, if it is the row's.
  __device__ __forceinline__ unsigned above(float threshold) const {
    unsigned result = 0;
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      if (!(static_cast<float>(x[i]) <= threshold)) result |= 1u << i;
    }
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      if (v * stride >= left) result &= (1u << v * kCount) - 1;  // nor do those behind it
    }
    return result;
  }

  __device__ __forceinline__ unsigned below(float threshold) const {
    unsigned result = 0;
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      if (static_cast<float>(x[i]) < threshold) result |= 1u << i;
    }
    return result;
  }

  // Of the lowest bit's column. (x lies in registers, which have no index.)
  __device__ __forceinline__ Entry lowest(unsigned bits) const {
    T value = x[0];
#pragma unroll
    for (int i = kColumns - 1; i >= 0; --i) {
      if (bits & 1u << i) value = x[i];
    }
    const unsigned i = __ffs(bits) - 1;
    return entry_of(static_cast<float>(value), first + i / kCount * stride + i % kCount);
  }
};

// The columns must come after all that were offered so far.
template <int kVectors, int kCount, int kSlots, typename T>
__device__ __forceinline__ void offer_columns(BestList<kSlots>& best,
                                              const Offer<kVectors, kCount, T>& offer) {
  if (!__any_sync(kAllLanes, offer.is_any_above(best.threshold))) return;
  unsigned pending = offer.above(best.threshold);
  while (const unsigned arrivals = __ballot_sync(kAllLanes, pending != 0)) {
    if (has_places_for(best, arrivals)) {
      append(best, arrivals, offer.lowest(pending));
      pending &= pending - 1;
    } else {
      flush(best);
      // Not those equal to the threshold: the list may have an equal one to the right of them now.
      pending &= ~offer.below(best.threshold);
    }
  }
}

// The last offer: a column a lane, in any order, or none if not `present`. The list is complete
// then.
template <int kSlots>
__device__ __forceinline__ void finish(BestList<kSlots>& best, float x, std::int64_t column,
                                       bool present) {
  const unsigned arrivals = __ballot_sync(kAllLanes, present);
  bool all_in = false;
  while (!all_in) {
    all_in = has_places_for(best, arrivals);
    if (all_in) append(best, arrivals, entry_of(x, column));
    empty_room(best);
  }
}

// The first warp's list becomes the block's. In each round the upper half of the warps hand their
// lists to the lower half, who merge them with their own.
template <int kSlots>
__device__ __forceinline__ void merge_warps(BestList<kSlots>& best) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  for (int warps = blockDim.x / kWarpSize; warps > 1; warps = (warps + 1) / 2) {
    const int takers = warps / 2;
    const int first_giver = warps - takers;
    __syncthreads();  // nobody needs a waiting room any more, nor the lists of the last round
    if (warp >= first_giver && warp < warps) {
      Entry* list = shared_entries() + (warp - first_giver) * kSlots * kWarpSize;
#pragma unroll
      for (int s = 0; s < kSlots; ++s) {
        list[s * kWarpSize + lane] = best.slots[s];
      }
    }
    __syncthreads();
    if (warp < takers) {
      const Entry* list = shared_entries() + warp * kSlots * kWarpSize;
      for (int s = 0; s < kSlots; ++s) {
        merge(best, list[s * kWarpSize + kWarpSize - 1 - lane]);  // the best last
      }
    }
  }
}

// The first warp writes the k entries of its block's row, with value(x) for a logit of x.
template <int kSlots, typename Value>
__device__ __forceinline__ void write(const BestList<kSlots>& best, float* values,
                                      std::int64_t* indices, Value value) {
  if (threadIdx.x >= kWarpSize) return;
  const std::int64_t row_begin = static_cast<std::int64_t>(blockIdx.x) * best.k;
#pragma unroll
  for (int s = 0; s < kSlots; ++s) {
    const int place = s * kWarpSize + threadIdx.x;
    if (place < best.k) {
      values[row_begin + place] = value(value_of(rank_in(best.slots[s])));
      indices[row_begin + place] = column_in(best.slots[s]);
    }
  }
}

}  // namespace topk
