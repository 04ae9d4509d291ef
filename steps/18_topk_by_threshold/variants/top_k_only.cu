// Step 18, top-k of given values
//
// The same without any softmax: no (m, d) is carried along, and the values are the logits
// themselves.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

// The larger one, but NaN if one of them is: fmaxf would drop it.
__device__ float max_or_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

// Ranks are in the order of the logits: NaN above them all, and -0 equal to 0.
using Rank = unsigned;
constexpr unsigned kSign = 0x80000000;
constexpr Rank kNoRank = 0;  // below that of -inf
constexpr Rank kLowestRank = 1;
constexpr Rank kRankOfNaN = 0xffffffff;
constexpr unsigned kAnyPlace = 0xffffffff;

__device__ Rank rank_of(float x) {
  const unsigned bits = __float_as_uint(x + 0.0f);  // -0 + 0 is 0
  return x != x ? kRankOfNaN : bits < kSign ? bits | kSign : ~bits;
}

__device__ float logit_of(Rank rank) {
  return __uint_as_float(rank >= kSign ? rank & ~kSign : ~rank);
}

// A rank above, and below it a column, inverted, for of equal logits the lower column is the
// better. So one comparison orders two columns.
using Entry = std::uint64_t;
constexpr Entry kNobody = 0;  // a place that is empty

__device__ Entry entry_of(Rank rank, unsigned col) {
  return static_cast<Entry>(rank) << 32 | ~col;
}

// 16 bytes, the most that a thread loads at once. Two of them are a sector, the least that memory
// delivers.
using Vector = uint4;
constexpr int kVectorsPerSector = 2;
constexpr int kSectorBytes = kVectorsPerSector * sizeof(Vector);
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);
template <typename T>
constexpr int kPerSector = kSectorBytes / sizeof(T);

// A row cut where its sectors begin: the head before the first, whole sectors, and the tail. Head
// and tail are the edges, an element a thread.
struct Cut {
  int head;     // elements
  int sectors;  // whole ones
  int edges;    // elements of head and tail together
};

template <typename T>
__device__ Cut cut_row(const T* x, int cols) {
  static_assert(2 * kPerSector<T> - 2 <= kWarpSize,
                "any block has a thread for every edge element");
  const int past = reinterpret_cast<std::uintptr_t>(x) % kSectorBytes / sizeof(T);
  const int head = min((kPerSector<T> - past) % kPerSector<T>, cols);
  const int sectors = (cols - head) / kPerSector<T>;
  return {head, sectors, cols - sectors * kPerSector<T>};
}

// The vectors that a thread has on their way while it looks at as many others.
constexpr int kInFlight = 4;
static_assert(kInFlight % kVectorsPerSector == 0, "the two lanes that have a sector take turns");

template <typename T>
__device__ Vector nothing() {
  Vector vector;
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    values[i] = static_cast<T>(kNegativeInfinity);
  }
  return vector;
}

// A vector of a row that is read from its beginning to its end: the L2 cache shall bring in all 256
// bytes around it at once.
__device__ Vector load_in_turn(const Vector* from) {
  Vector vector;
  asm volatile("ld.global.nc.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(vector.x), "=r"(vector.y), "=r"(vector.z), "=r"(vector.w)
               : "l"(from));
  return vector;
}

// A thread's vectors from number `first` on, one of each turn of the block.
template <typename T>
__device__ void load_tile(const Vector* x_vectors, int vectors, int first, Vector* tile) {
#pragma unroll
  for (int i = 0; i < kInFlight; ++i) {
    const int vector = first + static_cast<int>(threadIdx.x + i * blockDim.x);
    tile[i] = vector < vectors ? load_in_turn(&x_vectors[vector]) : nothing<T>();
  }
}

// Two values of two bytes, which are compared at once.
template <typename T>
using Pair = std::conditional_t<std::is_same_v<T, __half>, __half2, __nv_bfloat162>;

// The largest of a vector's values, or NaN.
template <typename T>
__device__ float max_of(const Vector& vector) {
  if constexpr (sizeof(T) == sizeof(float)) {
    const auto* values = reinterpret_cast<const float*>(&vector);
    return max_or_nan(max_or_nan(values[0], values[1]), max_or_nan(values[2], values[3]));
  } else {
    const auto* pairs = reinterpret_cast<const Pair<T>*>(&vector);
    const Pair<T> largest =
        __hmax2_nan(__hmax2_nan(pairs[0], pairs[1]), __hmax2_nan(pairs[2], pairs[3]));
    return max_or_nan(__low2float(largest), __high2float(largest));
  }
}

// Tells some of many things, each with a rank and a place of its own, from the others: it admits
// those of larger ranks, and of equals the ones up to a place.
struct Threshold {
  Rank rank = kLowestRank;
  unsigned last_place = kAnyPlace;
  __device__ bool admits(Rank other, unsigned place) const {
    return other > rank || (other == rank && place <= last_place);
  }
};

// How many keys have the same leading bits.
constexpr int kKeyBits = 32;
constexpr int kBinBits = 8;
constexpr int kBins = 1 << kBinBits;
constexpr int kLowestBin = kBins;  // of the lowest key alone: that of -inf, where many are -inf
struct Histogram {
  unsigned bin;    // the one that has the k-th largest key,
  unsigned above;  // how many keys are in the bins above it,
  unsigned in_it;  // and how many in it
  unsigned bins[kBins + 1];
};

// Finds that bin, as one warp, of which lane 0 looks at the eight highest bins. Where all but the
// lowest have fewer than k keys, it is that one.
__device__ void find_bin(Histogram& histogram, unsigned k) {
  constexpr int kPerLane = kBins / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  int bin = kBins - lane * kPerLane;  // behind this lane's
  unsigned mine = 0;
#pragma unroll
  for (int i = 1; i <= kPerLane; ++i) {
    mine += histogram.bins[bin - i];
  }
  unsigned above = mine;
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const unsigned other = __shfl_up_sync(kAllLanes, above, distance);
    if (lane >= distance) above += other;
  }
  if (lane == kWarpSize - 1 && above < k) {
    histogram.bin = kLowestBin;
    histogram.above = above;
    histogram.in_it = histogram.bins[kLowestBin];
  }
  above -= mine;
  if (above >= k || above + mine < k) return;  // it is another lane's
  while (above + histogram.bins[--bin] < k)
    above += histogram.bins[bin];
  histogram.bin = bin;
  histogram.above = above;
  histogram.in_it = histogram.bins[bin];
}

// A bound of the k largest keys: those above it, and `wanted` of the `equal` ones.
struct Bound {
  unsigned key;
  unsigned wanted;
  unsigned equal;  // the same number if the bound is no key: then it has all of what lies above
};

// Bounds the k largest of at least k keys, as a block: counts those from `lowest` to `highest` by
// their leading bits, then those of the bin that has the k-th by their next bits, and so on.
// `each_key(f)` calls f(key, place) for the calling thread's. Keys below `lowest` may be among
// them, if they are none of the k; above `highest` is none.
template <typename EachKey>
__device__ Bound bound_largest(const EachKey& each_key, unsigned k, unsigned lowest,
                               unsigned highest, Histogram& histogram) {
  for (;;) {
    for (int bin = threadIdx.x; bin <= kLowestBin; bin += blockDim.x) {
      histogram.bins[bin] = 0;
    }
    __syncthreads();
    const unsigned range = highest - lowest;
    const int bits = kKeyBits - __clz(static_cast<int>(range - 1));  // that still differ
    const int shift = max(bits - kBinBits, 0);
    each_key([&](unsigned key, unsigned) {
      const unsigned above_lowest = key - lowest;
      if (above_lowest > range) return;
      const unsigned bin = above_lowest == 0 ? kLowestBin : (above_lowest - 1) >> shift;
      atomicAdd(&histogram.bins[bin], 1);
    });
    __syncthreads();
    if (threadIdx.x < kWarpSize) find_bin(histogram, k);
    __syncthreads();
    k -= histogram.above;
    const unsigned in_it = histogram.in_it;
    if (histogram.bin == kLowestBin) return {lowest, k, in_it};
    lowest += 1 + (histogram.bin << shift);
    highest = lowest + min(highest - lowest, (1u << shift) - 1);
    if (shift == 0 || in_it == k) return {lowest, k, in_it};
  }
}

// Chooses k of at least k things, as a block: those of the largest ranks, and of equals those in
// the lowest of so many places. For `each_rank` see above.
template <typename EachRank>
__device__ Threshold choose(const EachRank& each_rank, unsigned k, Rank lowest, Rank highest,
                            int places, Histogram& histogram) {
  const Bound bound = bound_largest(each_rank, k, lowest, highest, histogram);
  if (bound.wanted == bound.equal) return {bound.key};
  const auto each_place = [&](const auto& f) {  // the lowest are the largest if inverted
    each_rank([&](Rank rank, unsigned place) {
      if (rank == bound.key) f(~place, place);
    });
  };
  return {bound.key, ~bound_largest(each_place, bound.wanted, ~places, kAnyPlace, histogram).key};
}

// Of this lane's key and that of the one at a distance, the larger or the smaller.
template <typename Key>
__device__ Key exchanged(Key mine, int distance, bool takes_larger) {
  const Key other = __shfl_xor_sync(kAllLanes, mine, distance);
  return (mine > other) == takes_larger ? mine : other;
}

// Sorts a warp's keys, one a lane, the largest first if it falls. (Batcher, "Sorting networks and
// their applications")
template <typename Key>
__device__ Key warp_sort(Key mine, bool falls) {
  const int lane = threadIdx.x % kWarpSize;
#pragma unroll
  for (int length = 2; length <= kWarpSize; length *= 2) {
#pragma unroll
    for (int distance = length / 2; distance > 0; distance /= 2) {
      const bool is_first = (lane & distance) == 0;
      mine = exchanged(mine, distance, (is_first == ((lane & length) == 0)) == falls);
    }
  }
  return mine;
}

// How many entries are better than this one, which is its place among them.
__device__ int place_of(Entry mine, const Entry* entries, int count) {
  int place = 0;
#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    place += entries[i] > mine;
  }
  return place;
}

// Up to so many entries are put in order by comparing each with all, which takes no barrier.
constexpr int kFew = 256;
// Whether K are looked for among few: as a rule fewer than 256 sectors reach the floor then.
__device__ bool are_few(int k) {
  return 2 * k <= min(kFew, static_cast<int>(blockDim.x));
}

// Two entries a lane, in places `lane` and `lane + 32`: what a warp sorts without a barrier.
struct Two {
  Entry first;
  Entry second;
};
constexpr int kPerWarp = 2 * kWarpSize;

// Merges a warp's two halves, which are sorted one way and the other.
__device__ Two warp_merge(Two mine, bool falls) {
  const int lane = threadIdx.x % kWarpSize;
  if ((mine.first < mine.second) == falls) mine = {mine.second, mine.first};
#pragma unroll
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    const bool takes_better = ((lane & distance) == 0) == falls;
    mine.first = exchanged(mine.first, distance, takes_better);
    mine.second = exchanged(mine.second, distance, takes_better);
  }
  return mine;
}

// Sorts entries, the best first, as a block; their number is a power of two from 32 on. (Batcher,
// likewise)
__device__ void sort(Entry* entries, int count) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarpSize;
  if (count == kWarpSize) {
    if (thread < kWarpSize) entries[thread] = warp_sort(entries[thread], true);
    __syncthreads();
    return;
  }
  // Each warp takes 64 entries and the 64 at the block's next turn, and so on.
  const auto each_two = [&](const auto& change) {
    const int begin = thread / kWarpSize * kPerWarp + lane;
    for (int place = begin; place < count; place += 2 * static_cast<int>(blockDim.x)) {
      const Two changed = change(Two{entries[place], entries[place + kWarpSize]}, place);
      entries[place] = changed.first;
      entries[place + kWarpSize] = changed.second;
    }
    __syncthreads();
  };
  each_two([](Two two, int place) {
    const Two halves = {warp_sort(two.first, true), warp_sort(two.second, false)};
    return warp_merge(halves, (place & kPerWarp) == 0);
  });
  for (int length = 2 * kPerWarp; length <= count; length *= 2) {
    for (int distance = length / 2; distance >= kPerWarp; distance /= 2) {
      for (int i = thread; i < count / 2; i += blockDim.x) {
        const int place = i / distance * 2 * distance + i % distance;
        const Entry a = entries[place];
        const Entry b = entries[place + distance];
        if ((a < b) == ((place & length) == 0)) {
          entries[place] = b;
          entries[place + distance] = a;
        }
      }
      __syncthreads();
    }
    each_two([&](Two two, int place) { return warp_merge(two, (place & length) == 0); });
  }
}

// The places that k entries are sorted in.
__host__ __device__ constexpr int places_for(int k) {
  int places = kWarpSize;
  while (places < k)
    places *= 2;
  return places;
}

// Where things begin in shared memory, in bytes: the numbers of the K sectors, a few sectors to
// choose from, and the maxima of all, which make way for the places of the K best and a list.
struct Layout {
  int few;
  int maxima;
  int best;
  int list;
  int end;
  int capacity;  // of the list, in entries
};

// The list has room for the K best, for the edges, and for a sector of each thread.
template <typename T>
__host__ __device__ constexpr Layout layout_of(int sectors, int k, int threads) {
  const auto after = [](int begin, int count, std::size_t bytes) {  // at a vector's boundary
    constexpr int kAlign = sizeof(Vector);
    return (begin + count * static_cast<int>(bytes) + kAlign - 1) / kAlign * kAlign;
  };
  const int capacity = k + kWarpSize + threads * kPerSector<T>;
  const int few = after(0, k, sizeof(unsigned));
  const int maxima = after(few, 2 * k <= kFew ? kFew : 0, sizeof(Entry));
  const int list = after(maxima, places_for(k), sizeof(Entry));
  const int end_of_maxima = after(maxima, sectors, sizeof(Rank));
  const int end_of_list = after(list, capacity, sizeof(Entry));
  return {.few = few,
          .maxima = maxima,
          .best = maxima,
          .list = list,
          .end = end_of_maxima > end_of_list ? end_of_maxima : end_of_list,
          .capacity = capacity};
}

// The maxima of a row's sectors in shared memory, which are looked at four at a time. Places behind
// the last one hold kNoRank.
constexpr int kPerQuad = sizeof(uint4) / sizeof(Rank);
struct Maxima {
  Rank* of_sectors;
  int sectors;

  __device__ int quads() const { return (sectors + kPerQuad - 1) / kPerQuad; }
  // Calls f(quad, number of its first sector) for the calling thread's.
  template <typename F>
  __device__ void each_quad(const F& f) const {
    for (int i = threadIdx.x; i < quads(); i += blockDim.x) {
      f(reinterpret_cast<const uint4*>(of_sectors)[i], static_cast<unsigned>(kPerQuad * i));
    }
  }
};

__device__ Rank max_of_quad(uint4 quad) {
  return max(max(quad.x, quad.y), max(quad.z, quad.w));
}

// What a thread knows of a row: the largest and the smallest maximum of its sectors.
struct Read {
  float largest = kNegativeInfinity;
  float smallest = -kNegativeInfinity;
};

// One pass over a row, which leaves the maxima of all sectors in shared memory. Two lanes load a
// sector, and one of them has it, in turn.
template <typename T>
__device__ Read read_row(const Vector* x_vectors, Maxima maxima) {
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int vectors = maxima.sectors * kVectorsPerSector;
  Read mine;
  Vector next[kInFlight];
  load_tile<T>(x_vectors, vectors, 0, next);
  for (int first = 0; first < vectors; first += kInFlight * threads) {
    Vector tile[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      tile[i] = next[i];
    }
    load_tile<T>(x_vectors, vectors, first + kInFlight * threads, next);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const int vector = first + thread + i * threads;
      const float m_of_vector = max_of<T>(tile[i]);
      const float m_of_sector = max_or_nan(m_of_vector, __shfl_xor_sync(kAllLanes, m_of_vector, 1));
      if (vector < vectors && i % kVectorsPerSector == thread % kVectorsPerSector) {
        maxima.of_sectors[vector / kVectorsPerSector] = rank_of(m_of_sector);
        mine.largest = max_or_nan(mine.largest, m_of_sector);
        mine.smallest = fminf(mine.smallest, m_of_sector);
      }
    }
  }
  return mine;
}

// A floor of this warp's part: as many of its sectors as its share of K reach it. Each lane has
// sectors of its own, so the share-th largest of the lanes' largest maxima is one. With a share of
// more than 32 it is the smallest maximum.
__device__ Rank warp_floor(const Read& mine, int k) {
  const int warps = static_cast<int>(blockDim.x) / kWarpSize;
  const int share = (k + warps - 1) / warps;
  if (share > kWarpSize) return __reduce_min_sync(kAllLanes, rank_of(mine.smallest));
  return __shfl_sync(kAllLanes, warp_sort(rank_of(mine.largest), true), share - 1);
}

// What a block knows of a row: the rank of its largest column, and a floor, which K sectors reach
// if there are as many.
struct Row {
  Rank highest;
  Rank floor;
};

// The largest that the warps of a block know, and the least of their floors, for each of its
// threads.
__device__ Row block_combine(float largest, Rank floor) {
  __shared__ Row of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  const Rank highest = __reduce_max_sync(kAllLanes, rank_of(largest));
  if (lane == 0) of_warps[warp] = {highest, floor};
  __syncthreads();
  const Row one = lane < warps ? of_warps[lane] : Row{kNoRank, kRankOfNaN};
  return {.highest = __reduce_max_sync(kAllLanes, one.highest),
          .floor = __reduce_min_sync(kAllLanes, one.floor)};
}

// What the threads of a block tell each other, beside what Layout names.
struct Told {
  Histogram histogram;
  int few;         // sectors that reach the floor, where they were listed
  int chosen;      // sectors: so many numbers there are
  int listed;      // columns
  int among_best;  // of these
};

// Lists the sectors that reach the floor, of which there may be more than places.
__device__ void list_sectors(Maxima maxima, Rank floor, Entry* few, Told& told) {
  maxima.each_quad([&](uint4 quad, unsigned sector) {
    if (max_of_quad(quad) < floor) return;
    const Rank ranks[kPerQuad] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
    for (int i = 0; i < kPerQuad; ++i) {
      if (ranks[i] < floor) continue;
      const int place = atomicAdd(&told.few, 1);
      if (place < kFew) few[place] = entry_of(ranks[i], sector + i);
    }
  });
}

// Chooses the k sectors with the largest maxima, or all, of a few that are listed.
__device__ void choose_of_few(const Entry* few, int k, int* numbers, Told& told) {
  for (int i = threadIdx.x; i < told.few; i += blockDim.x) {
    const int place = place_of(few[i], few, told.few);
    if (place < k) numbers[place] = static_cast<int>(~static_cast<unsigned>(few[i]));
  }
  if (threadIdx.x == 0) told.chosen = min(k, told.few);
}

// Chooses them, as a block, of all that reach the floor.
__device__ Threshold choose_sectors(Maxima maxima, unsigned k, Rank floor, Rank highest,
                                    Told& told) {
  if (k >= static_cast<unsigned>(maxima.sectors)) return {};
  const auto each_of_sectors = [&](const auto& f) {
    maxima.each_quad([&](uint4 quad, unsigned sector) {
      if (max_of_quad(quad) < floor) return;
      f(quad.x, sector);
      f(quad.y, sector + 1);
      f(quad.z, sector + 2);
      f(quad.w, sector + 3);
    });
  };
  return choose(each_of_sectors, k, floor, highest, maxima.sectors, told.histogram);
}

// Writes down the numbers of the sectors that are chosen, in no order.
__device__ void write_numbers(Maxima maxima, Threshold threshold, int* numbers, Told& told) {
  maxima.each_quad([&](uint4 quad, unsigned sector) {
    if (max_of_quad(quad) < threshold.rank) return;
    const Rank ranks[kPerQuad] = {quad.x, quad.y, quad.z, quad.w};
    bool is_chosen[kPerQuad];
    int those = 0;
#pragma unroll
    for (int i = 0; i < kPerQuad; ++i) {
      is_chosen[i] = threshold.admits(ranks[i], sector + i);
      those += is_chosen[i];
    }
    if (those == 0) return;
    int place = atomicAdd(&told.chosen, those);
#pragma unroll
    for (int i = 0; i < kPerQuad; ++i) {
      if (is_chosen[i]) numbers[place++] = sector + i;
    }
  });
}

// Lists those of some columns side by side that are not below the floor, and returns how many
// columns of the row are listed then, or 0 where nothing was added.
template <int kColumns, typename T>
__device__ int list_columns(const T* x, int col, Rank floor, Entry* list, Told& told) {
  int those = 0;
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    those += rank_of(static_cast<float>(x[i])) >= floor;
  }
  if (those == 0) return 0;
  int place = atomicAdd(&told.listed, those);
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    const Rank rank = rank_of(static_cast<float>(x[i]));
    if (rank >= floor) list[place++] = entry_of(rank, col + i);
  }
  return place;
}

// Copies the k best of the list, in no order, and returns the lowest of their ranks: as a block, of
// which each thread has listed what it has to.
__device__ Rank copy_best(const Entry* list, int cols, unsigned k, Rank floor, Rank highest,
                          Entry* best, Told& told) {
  const auto each_listed = [&](const auto& f) {
    for (int i = threadIdx.x; i < told.listed; i += blockDim.x) {
      f(static_cast<Rank>(list[i] >> 32), ~static_cast<unsigned>(list[i]));
    }
  };
  if (threadIdx.x == 0) told.among_best = 0;
  const Threshold threshold = choose(each_listed, k, floor, highest, cols, told.histogram);
  each_listed([&](Rank rank, unsigned col) {
    if (threshold.admits(rank, col)) best[atomicAdd(&told.among_best, 1)] = entry_of(rank, col);
  });
  __syncthreads();
  return threshold.rank;
}

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    top_k(const T* logits, float* values, std::int64_t* indices, int cols, int k) {
  extern __shared__ unsigned char shared[];
  __shared__ Told told;
  const T* x = logits + static_cast<std::int64_t>(blockIdx.x) * cols;
  const Cut cut = cut_row(x, cols);
  const auto* x_vectors = reinterpret_cast<const Vector*>(x + cut.head);
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const bool has_edge = thread < cut.edges;
  const int edge = thread < cut.head ? thread : thread + cut.sectors * kPerSector<T>;
  const Layout layout = layout_of<T>(cut.sectors, k, threads);
  auto* numbers = reinterpret_cast<int*>(shared);
  auto* few = reinterpret_cast<Entry*>(shared + layout.few);
  auto* best = reinterpret_cast<Entry*>(shared + layout.best);
  auto* list = reinterpret_cast<Entry*>(shared + layout.list);
  const Maxima maxima = {reinterpret_cast<Rank*>(shared + layout.maxima), cut.sectors};

  if (thread == 0) told.few = told.chosen = told.listed = 0;
  if (cut.sectors + thread < maxima.quads() * kPerQuad) {
    maxima.of_sectors[cut.sectors + thread] = kNoRank;
  }

  // The first pass.
  const float x_edge = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  const Read read = read_row<T>(x_vectors, maxima);
  // Its barrier is behind all maxima, too.
  const Row row = block_combine(max_or_nan(read.largest, x_edge), warp_floor(read, k));

  // The K sectors. What is below the floor is none of the K best.
  Rank floor = row.floor;
  if (are_few(k)) {
    list_sectors(maxima, floor, few, told);
    __syncthreads();
  }
  if (are_few(k) && told.few <= kFew) {
    choose_of_few(few, k, numbers, told);
  } else {
    const Threshold threshold = choose_sectors(maxima, k, floor, row.highest, told);
    write_numbers(maxima, threshold, numbers, told);
    floor = threshold.rank;
  }
  __syncthreads();

  // These again, a thread each. Where the next ones may find no room in the list, only the K best
  // of it stay.
  const int room = layout.capacity - threads * kPerSector<T>;
  int listed = has_edge ? list_columns<1>(&x_edge, edge, floor, list, told) : 0;
  for (int first = 0; first < told.chosen; first += threads) {
    if (__syncthreads_or(listed > room)) {
      floor = copy_best(list, cols, k, floor, row.highest, best, told);
      for (int i = thread; i < k; i += threads) {
        list[i] = best[i];
      }
      if (thread == 0) told.listed = k;
      __syncthreads();
    }
    listed = 0;
    if (first + thread < told.chosen) {
      const int vector = numbers[first + thread] * kVectorsPerSector;
      const Vector again[] = {x_vectors[vector], x_vectors[vector + 1]};
      const int col = cut.head + vector * kPerVector<T>;
      listed =
          list_columns<kPerSector<T>>(reinterpret_cast<const T*>(again), col, floor, list, told);
    }
  }
  __syncthreads();

  const std::int64_t row_begin = static_cast<std::int64_t>(blockIdx.x) * k;
  const auto store = [&](Entry entry, int place) {
    values[row_begin + place] = logit_of(static_cast<Rank>(entry >> 32));
    indices[row_begin + place] = ~static_cast<unsigned>(entry);
  };

  // The K best of the list, in their order.
  if (told.listed <= kFew) {
    for (int i = thread; i < told.listed; i += threads) {
      const int place = place_of(list[i], list, told.listed);
      if (place < k) store(list[i], place);
    }
    return;
  }
  // Where it has no more entries than there are places to sort, all of them are sorted.
  const int places = places_for(k);
  const bool is_short = told.listed <= places;
  if (!is_short) copy_best(list, cols, k, floor, row.highest, best, told);
  const int found = is_short ? told.listed : k;
  for (int i = thread; i < places; i += threads) {
    best[i] = i >= found ? kNobody : is_short ? list[i] : best[i];
  }
  __syncthreads();
  sort(best, places);
  for (int i = thread; i < k; i += threads) {
    store(best[i], i);
  }
}

constexpr int kMaxK = 2048;
constexpr int kMaxShared = 224 * 1024;  // bytes; a block of an H200 has 227 KB
static_assert(layout_of<__half>(0, kMaxK, kMaxThreads).end <= kMaxShared,
              "the largest block has room for its list");

// Beside the numbers of K sectors, shared memory holds the maxima of all.
std::int64_t max_cols(std::size_t element_bytes, int /*block_size*/) {
  static_assert(layout_of<float>(0, kFew / 2, kMaxThreads).maxima <= int{kMaxK * sizeof(unsigned)},
                "where few sectors are listed, K is small enough for their places");
  constexpr std::int64_t kMaxima = kMaxShared - kMaxK * sizeof(unsigned);
  return kMaxima / sizeof(Rank) * kSectorBytes / element_bytes;
}

// The columns of the K sectors of each row, or of all that it has. Rows begin at the same place in
// a sector again after as many rows as a sector has columns.
std::int64_t cols_read_again(const worklog::Launched& launched) {
  const auto [rows, cols, block_size, element_bytes, k] = launched;
  const auto per_sector = static_cast<std::int64_t>(kSectorBytes / element_bytes);
  std::int64_t sectors = 0;
  for (std::int64_t row = 0; row < per_sector; ++row) {
    const std::int64_t alike = (rows - row + per_sector - 1) / per_sector;
    const std::int64_t past = row * cols % per_sector;
    const std::int64_t head = std::min((per_sector - past) % per_sector, cols);
    sectors += alike * std::min(k, (cols - head) / per_sector);
  }
  return sectors * per_sector;
}

template <typename T>
void launch(const worklog::TopK<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  const auto cols = static_cast<int>(problem.cols);
  const int shared = layout_of<T>(cols / kPerSector<T>, problem.k, problem.block_size).end;
  worklog::allow_shared_memory(top_k<T>, "top_k", kMaxShared);
  top_k<<<grid, block, shared, stream>>>(problem.logits, problem.values, problem.indices, cols,
                                         problem.k);
  worklog::check_launch("top_k", grid, block, shared);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "18_topk_by_threshold",
                      .loads = {.per_column = 1, .of_partials = cols_read_again},
                      .stores = {.per_k = 2},
                      .max_cols = max_cols,
                      .longer_rows = "07_topk_fusion/top_k_only, with k up to 128,",
                      .max_k = kMaxK,
                      .top_k_operation = worklog::Operation::kTopKOfValues});
