// Where a warp owns a row, it carries the K best beside (m, d), as in step 07, in a list in its
// registers, and reads the row once. A longer row is a block's, which reads it twice: the first
// time for (m, d) and a floor that K columns reach, as in step 18, so that hardly more than K
// columns become entries of a list in shared memory the second time. Where the list has no room for
// the columns that share the K-th place, as of a row with fewer allowed tokens than K, it is read a
// third time, in turns after which only the K best stay.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "common/step/check_launch.h"
#include "library/include/softmax_worklog/c.h"
#include "library/kernels/scale_top_k.h"
#include "packs.cuh"
#include "rows.cuh"

namespace worklog::library {
namespace {

// A column and the rank of its logit in one number, so that one comparison orders two columns: the
// rank above, and below it the column, inverted, for of equal logits the lower column is the
// better. Ranks are in the order of the logits, NaN above them all, and -0 equal to 0.
using Rank = unsigned;
using Entry = std::uint64_t;
constexpr Entry kNobody = 0;  // a place that is empty: below -inf, which is a column like any other
constexpr unsigned kSign = 0x80000000;
constexpr Rank kRankOfNaN = 0xffffffff;

__device__ Rank rank_of(float x) {
  const unsigned bits = __float_as_uint(x + 0.0f);  // -0 + 0 is 0
  return x != x ? kRankOfNaN : bits < kSign ? bits | kSign : ~bits;
}

__device__ Entry entry_of(float x, std::int64_t col) {
  return static_cast<Entry>(rank_of(x)) << 32 | ~static_cast<unsigned>(col);
}

__device__ float logit_of(Entry entry) {
  const auto rank = static_cast<Rank>(entry >> 32);
  return __uint_as_float(rank >= kSign ? rank & ~kSign : ~rank);
}

__device__ std::int64_t column_of(Entry entry) {
  return ~static_cast<unsigned>(entry);
}

// ---- what both kernels do ----

// The logits from the column `col` on; -inf outside the row, which adds nothing to a sum.
template <int kCount, bool kIsWhole, typename T>
__device__ void load(const T* row, std::int64_t col, std::int64_t cols, float* x) {
  const Pack<T, kCount> pack = load_pack<kCount, kIsWhole>(row, col, cols);
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    x[i] = static_cast<float>(pack.values[i]);
  set_outside<kCount>(kNegativeInfinity, col, cols, x);
}

// What a thread knows of its row, and of a few logits more.
template <typename T, int kCount>
__device__ Normalizer with_logits(Normalizer mine, const float* x, float scale) {
  float m = mine.m;
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    m = max_or_nan(m, scaled(x[i], scale));
  float d = mine.d * ratio_of(mine.m, m);
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    d += exponential<T>(scaled(x[i], scale) - origin_of(m));
  return {m, d};
}

template <typename T>
__device__ void store(const ScaleTopK<T>& problem, std::int64_t row, int place, Entry entry,
                      Normalizer all) {
  const float x = scaled(logit_of(entry), problem.scale);
  problem.values[row * problem.k + place] = expf(x - all.m) / all.d;
  problem.indices[row * problem.k + place] = column_of(entry);
}

// ---- a list for each warp ----

// Place 32 i + lane is entries[i] of the lane.
template <int kPerLane>
struct WarpList {
  Entry entries[kPerLane] = {};  // kNobody

  // What has the last of k places.
  __device__ Entry last_of(int k) const {
    Entry last = kNobody;
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      const Entry candidate = __shfl_sync(kAllLanes, entries[i], (k - 1) % kWarpSize);
      if (i == (k - 1) / kWarpSize) last = candidate;
    }
    return last;
  }

  // Each place takes the better of what it had and what comes from its left: the new entry or its
  // neighbour, whichever is the worse. The last one falls out.
  __device__ void insert(Entry entry) {
    const int lane = threadIdx.x % kWarpSize;
#pragma unroll
    for (int i = kPerLane - 1; i >= 0; --i) {
      Entry left = __shfl_up_sync(kAllLanes, entries[i], 1);
      const Entry before =
          i > 0 ? __shfl_sync(kAllLanes, entries[i > 0 ? i - 1 : 0], kWarpSize - 1) : entry;
      if (lane == 0) left = before;
      const Entry from_left = left < entry ? left : entry;
      entries[i] = entries[i] > from_left ? entries[i] : from_left;
    }
  }

  // Takes those of a warp's entries, one a lane, that are better than `last`, which is the last of
  // k places.
  __device__ void offer(Entry mine, int k, Entry& last) {
    const int lane = threadIdx.x % kWarpSize;
    while (const unsigned better = __ballot_sync(kAllLanes, mine > last)) {
      const int next = __ffs(static_cast<int>(better)) - 1;
      insert(__shfl_sync(kAllLanes, mine, next));
      last = last_of(k);
      if (lane == next) mine = kNobody;
    }
  }
};

// A warp owns a row.
template <typename T, int kCount, bool kIsWhole, int kPerLane>
__global__ void __launch_bounds__(kThreadsOfShortRows) scale_top_k(const ScaleTopK<T> problem) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (row >= problem.rows) return;
  const T* logits = problem.logits + problem.layout.begin_of(row);
  const int lane = threadIdx.x;
  const int k = problem.k;

  WarpList<kPerLane> best;
  Entry last = kNobody;
  Normalizer mine;
  // The lanes go through their columns together, for they share a list.
  for (std::int64_t first = -columns_before<kCount, kIsWhole>(logits); first < problem.cols;
       first += kWarpSize * kCount) {
    const std::int64_t col = first + lane * kCount;
    float x[kCount];
    load<kCount, kIsWhole>(logits, col, problem.cols, x);
    mine = with_logits<T, kCount>(mine, x, problem.scale);
    bool any = false;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      any |= entry_of(x[i], col + i) > last;
    if (!__any_sync(kAllLanes, any && col < problem.cols)) continue;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      best.offer(is_of_row<kIsWhole>(col, i, problem.cols) ? entry_of(x[i], col + i) : kNobody, k,
                 last);
  }

  const Normalizer all = warp_combine(mine);
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int place = i * kWarpSize + lane;
    if (place < k) store(problem, row, place, best.entries[i], all);
  }
}

// ---- a list for the block ----

// Sorts entries, the best first, as a block; their number is a power of two. (Batcher, "Sorting
// networks and their applications")
__device__ void sort(Entry* entries, int count) {
  for (int length = 2; length <= count; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      for (int i = threadIdx.x; i < count / 2; i += blockDim.x) {
        const int place = i + (i & -distance);  // the first of a pair
        const Entry a = entries[place];
        const Entry b = entries[place + distance];
        if ((a < b) == ((place & length) == 0)) {
          entries[place] = b;
          entries[place + distance] = a;
        }
      }
      __syncthreads();
    }
  }
}

// Sorts the entries that are listed, as a block, behind a barrier.
__device__ void sort_listed(Entry* list, int listed) {
  int places = 1;
  while (places < listed)
    places *= 2;
  for (int i = listed + static_cast<int>(threadIdx.x); i < places; i += blockDim.x)
    list[i] = kNobody;
  __syncthreads();
  sort(list, places);
}

constexpr int kMostOfBlock = 512;  // threads
constexpr int kInFlight = 4;       // of a thread's loads

// Of a turn's loads, so that the list needs no more shared memory than a block has unasked.
template <int kCount>
constexpr int kCountOfTurn = std::min(kCount, 4);

// A list has room for K and for all that one turn of the block may add.
constexpr int places_for(int k, int threads, int count) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(k + threads * count)));
}

// The highest rank that k threads' ranks reach, by bisection; 0 if fewer than k have a column.
__device__ Rank floor_of(Rank mine, int k) {
  Rank floor = 0;
  for (Rank bit = kSign; bit > 0; bit /= 2) {
    if (__syncthreads_count(mine >= (floor | bit)) >= k) floor |= bit;
  }
  return floor;
}

// The largest of several logits, or NaN.
template <int kCount>
__device__ float largest_of(const float* x) {
  float largest = x[0];
#pragma unroll
  for (int i = 1; i < kCount; ++i)
    largest = max_or_nan(largest, x[i]);
  return largest;
}

// What a thread knows of its columns.
struct Seen {
  Normalizer normalizer;
  float largest = kNegativeInfinity;
};

template <typename T, int kCount, bool kIsWhole>
__device__ Seen see(const ScaleTopK<T>& problem, const T* logits) {
  const std::int64_t stride = std::int64_t{blockDim.x} * kCount;
  Seen seen;
  const std::int64_t first =
      std::int64_t{threadIdx.x} * kCount - columns_before<kCount, kIsWhole>(logits);
  for (std::int64_t col = first; col < problem.cols; col += kInFlight * stride) {
    float x[kInFlight * kCount];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i)
      load<kCount, kIsWhole>(logits, col + i * stride, problem.cols, x + i * kCount);
    seen.normalizer = with_logits<T, kInFlight * kCount>(seen.normalizer, x, problem.scale);
    seen.largest = max_or_nan(seen.largest, largest_of<kInFlight * kCount>(x));
  }
  return seen;
}

// Lists the columns that are better than `last`; where they have no room, `listed` is above the
// number of places.
template <typename T, int kCount, bool kIsWhole>
__device__ void list_better(const ScaleTopK<T>& problem, const T* logits, Entry last, Entry* list,
                            int places, int& listed) {
  const std::int64_t stride = std::int64_t{blockDim.x} * kCount;
  const std::int64_t first =
      std::int64_t{threadIdx.x} * kCount - columns_before<kCount, kIsWhole>(logits);
  for (std::int64_t col = first; col < problem.cols; col += kInFlight * stride) {
    float x[kInFlight * kCount];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i)
      load<kCount, kIsWhole>(logits, col + i * stride, problem.cols, x + i * kCount);
    if (rank_of(largest_of<kInFlight * kCount>(x)) <= last >> 32) continue;  // as in most turns
#pragma unroll
    for (int i = 0; i < kInFlight * kCount; ++i) {
      const std::int64_t of_pack = col + i / kCount * stride;
      const Entry entry = entry_of(x[i], of_pack + i % kCount);
      if (!is_of_row<kIsWhole>(of_pack, i % kCount, problem.cols) || entry <= last) continue;
      const int place = atomicAdd(&listed, 1);
      if (place >= places) return;
      list[place] = entry;
    }
  }
}

// The same, however many are better: where the next turn may find no room in the list, only the K
// best stay, and what is no better than the last of them is not listed any more.
template <typename T, int kCount, bool kIsWhole>
__device__ void list_in_turns(const ScaleTopK<T>& problem, const T* logits, Entry last, Entry* list,
                              int places, int& listed) {
  const int threads = blockDim.x;
  const int room = places - threads * kCount;
  const int k = problem.k;
  int seen = 0;  // entries in the list, as far as this thread knows; one of them knows all
  for (std::int64_t first = -columns_before<kCount, kIsWhole>(logits); first < problem.cols;
       first += threads * kCount) {
    const std::int64_t col = first + static_cast<int>(threadIdx.x) * kCount;
    float x[kCount];
    load<kCount, kIsWhole>(logits, col, problem.cols, x);
    if (__syncthreads_or(seen > room)) {
      sort_listed(list, listed);
      last = list[k - 1];
      seen = 0;
      if (threadIdx.x == 0) listed = k;
      __syncthreads();
    }
    const auto is_better = [&](int i) {
      return is_of_row<kIsWhole>(col, i, problem.cols) && entry_of(x[i], col + i) > last;
    };
    int better = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      better += is_better(i) ? 1 : 0;
    if (better == 0) continue;
    int place = atomicAdd(&listed, better);
    seen = place + better;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (is_better(i)) list[place++] = entry_of(x[i], col + i);
    }
  }
}

static_assert(places_for(SOFTMAX_WORKLOG_MAX_K, kMostOfBlock, 4) * sizeof(Entry) <= 32 * 1024,
              "a list fits where 48 KB are a block's limit, with what combine_warps has");

// A block owns a row.
template <typename T, int kCount, bool kIsWhole>
__global__ void __launch_bounds__(kMostOfBlock)
    scale_top_k_of_long_rows(const ScaleTopK<T> problem, int places) {
  extern __shared__ Entry list[];
  __shared__ int listed;
  const std::int64_t row = blockIdx.x;
  const T* logits = problem.logits + problem.layout.begin_of(row);
  if (threadIdx.x == 0) listed = 0;

  const Seen seen = see<T, kCount, kIsWhole>(problem, logits);
  const Normalizer all = combine_warps(warp_combine(seen.normalizer));
  const bool has_columns = std::int64_t{threadIdx.x} * kCount < problem.cols;
  const Rank highest = has_columns ? rank_of(seen.largest) : 0;
  const Rank floor = floor_of(highest, problem.k);  // its barriers are behind listed = 0
  const Entry below_floor = floor > 0 ? (Entry{floor} << 32) - 1 : kNobody;
  if (floor > 0) {
    list_better<T, kCount, kIsWhole>(problem, logits, below_floor, list, places, listed);
    __syncthreads();
  }
  if (floor == 0 || listed > places) {  // they have no room, or there is no floor
    __syncthreads();
    if (threadIdx.x == 0) listed = 0;
    __syncthreads();
    list_in_turns<T, kCountOfTurn<kCount>, kIsWhole>(problem, logits, below_floor, list, places,
                                                     listed);
    __syncthreads();
  }
  sort_listed(list, listed);
  for (int place = threadIdx.x; place < problem.k; place += blockDim.x)
    store(problem, row, place, list[place], all);
}

// ---- launches ----

constexpr int kMostOfWarp = 128;  // entries
// Turns of a warp's loads, at most: at 4096 rows a warp took 1.3 times as long for 1024 columns as
// a block for 4096.
constexpr int kTurnsOfWarp = 2;
constexpr int kTurnsOfThread = 4;  // of loads, at least, before more threads share the row
constexpr int kFewestOfBlock = 128;

template <typename T, int kCount, bool kIsWhole, int kPerLane>
void launch_lists_of_warps(const ScaleTopK<T>& problem, cudaStream_t stream) {
  const auto [grid, block] = shape_for(problem.rows, kWarpSize);
  scale_top_k<T, kCount, kIsWhole, kPerLane><<<grid, block, 0, stream>>>(problem);
  check_launch("scale_top_k", grid, block);
}

template <typename T, int kCount, bool kIsWhole>
void launch_blocks(const ScaleTopK<T>& problem, cudaStream_t stream) {
  int threads = kFewestOfBlock;
  while (threads < kMostOfBlock && problem.cols > std::int64_t{threads} * kCount * kTurnsOfThread)
    threads *= 2;
  const auto [grid, block] = shape_for(problem.rows, threads);
  const int places = places_for(problem.k, threads, kCountOfTurn<kCount>);
  const std::size_t shared = static_cast<std::size_t>(places) * sizeof(Entry);
  scale_top_k_of_long_rows<T, kCount, kIsWhole><<<grid, block, shared, stream>>>(problem, places);
  check_launch("scale_top_k_of_long_rows", grid, block, shared);
}

template <typename T, int kCount, bool kIsWhole>
void launch_warps(const ScaleTopK<T>& problem, cudaStream_t stream) {
  if (problem.k <= kWarpSize) return launch_lists_of_warps<T, kCount, kIsWhole, 1>(problem, stream);
  launch_lists_of_warps<T, kCount, kIsWhole, kMostOfWarp / kWarpSize>(problem, stream);
}

template <typename T, int kCount, bool kIsWhole>
void launch(const ScaleTopK<T>& problem, cudaStream_t stream) {
  const bool is_short =
      columns_of_packs<kCount, kIsWhole>(problem.cols) <= kWarpSize * kCount * kTurnsOfWarp;
  if (is_short && problem.k <= kMostOfWarp)
    return launch_warps<T, kCount, kIsWhole>(problem, stream);
  launch_blocks<T, kCount, kIsWhole>(problem, stream);
}

// Whether whole packs lie where packs may lie, in every row.
template <typename T, int kCount>
bool takes_packs(const ScaleTopK<T>& problem) {
  return reinterpret_cast<std::uintptr_t>(problem.logits) % (kCount * sizeof(T)) == 0 &&
         problem.cols % kCount == 0 && problem.layout.stride % kCount == 0 &&
         problem.layout.matrix_stride % kCount == 0;
}

}  // namespace

template <typename T>
void run(const ScaleTopK<T>& problem, cudaStream_t stream) {
  constexpr int kPerPack = sizeof(uint4) / sizeof(T);
  if (takes_packs<T, kPerPack>(problem)) {
    launch<T, kPerPack, true>(problem, stream);
  } else if (problem.cols > kWarpSize * kTurnsOfWarp) {
    launch<T, kPerPack, false>(problem, stream);
  } else {
    launch_warps<T, 1, true>(problem, stream);
  }
}

template void run(const ScaleTopK<float>&, cudaStream_t);
template void run(const ScaleTopK<__half>&, cudaStream_t);
template void run(const ScaleTopK<__nv_bfloat16>&, cudaStream_t);

}  // namespace worklog::library
