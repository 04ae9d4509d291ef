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
  if (x != x) return kRankOfNaN;
  const unsigned bits = __float_as_uint(x + 0.0f);  // -0 + 0 is 0
  return bits < kSign ? bits | kSign : ~bits;
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

// kSlots must be slots_for(k). What there is room for behind place k - 1 holds the next best.
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

// Empties the waiting room into the list.
template <int kSlots>
__device__ __forceinline__ void flush(BestList<kSlots>& best) {
  if (best.waiting == 0) return;
  const int lane = threadIdx.x % kWarpSize;
  __syncwarp();  // all have stored
  const Entry mine = lane < best.waiting ? best.room[lane] : kNobody;
  __syncwarp();  // all have loaded: the room may be used again
  best.waiting = 0;
  merge(best, sort(mine));
  update_threshold(best);
}

// Every lane of the warp offers a column, in any order, or none if not `present`. False: the room
// has no place for all who would enter, and none did.
template <int kSlots>
__device__ __forceinline__ bool append(BestList<kSlots>& best, float x, std::int64_t column,
                                       bool present) {
  // Not yet "<=": a column may be offered after an equal one to its right.
  const bool enters = present && !(x < best.threshold);
  const unsigned arrivals = __ballot_sync(kAllLanes, enters);
  if (arrivals == 0) return true;
  const int waiting = best.waiting + __popc(arrivals);
  if (waiting > kWarpSize) return false;
  const unsigned lanes_before = (1u << threadIdx.x % kWarpSize) - 1;
  if (enters) best.room[best.waiting + __popc(arrivals & lanes_before)] = entry_of(x, column);
  best.waiting = waiting;
  return true;
}

template <int kCount, typename T>
__device__ bool any_above(float threshold, const T* x) {
  bool promising = false;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    promising |= !(static_cast<float>(x[i]) <= threshold);
  }
  return __any_sync(kAllLanes, promising);
}

// What every lane of the warp offers: kVectors vectors of kCount neighbouring columns, each vector
// `stride` columns behind the last. Only those less than `left` behind the first are the row's.
template <int kVectors, int kCount, typename T>
struct Offer {
  const T* x;
  std::int64_t first, stride, left;
};

// Appends the columns from number `offered` on; false if the room is full, with `offered` where to
// go on.
template <int kVectors, int kCount, int kSlots, typename T>
__device__ __forceinline__ bool append_all(BestList<kSlots>& best,
                                           const Offer<kVectors, kCount, T>& offer, int& offered) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    // Not where a vector is gone on with: of its columns equal ones to the right may be listed.
    if (offered <= v * kCount && !any_above<kCount>(best.threshold, offer.x + v * kCount)) continue;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int number = v * kCount + i;
      if (number < offered) continue;
      if (!append(best, static_cast<float>(offer.x[number]), offer.first + v * offer.stride + i,
                  v * offer.stride < offer.left)) {
        offered = number;
        return false;
      }
    }
  }
  return true;
}

// The columns must come after all that were offered so far.
template <int kVectors, int kCount, int kSlots, typename T>
__device__ __forceinline__ void offer_columns(BestList<kSlots>& best,
                                              const Offer<kVectors, kCount, T>& offer) {
  int offered = 0;
  while (!append_all(best, offer, offered)) {
    flush(best);  // in the code once, not once a column
  }
}

// The last offer: a column a lane, in any order, or none if not `present`. The list is complete
// then.
template <int kSlots>
__device__ __forceinline__ void finish(BestList<kSlots>& best, float x, std::int64_t column,
                                       bool present) {
  bool all_in = false;
  while (!all_in) {
    all_in = append(best, x, column, present);
    flush(best);
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
