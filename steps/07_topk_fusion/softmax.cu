// Step 07: softmax fused with top-k
//
// Whoever asks for the K largest probabilities does not need the others, so this step stores none
// of them. One pass carries (m, d) and the K best logits together, and only those K are turned into
// probabilities: a row is read once, and K values and columns are all that is written.
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", algorithm 4)

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "best_list.cuh"
#include "common/step/step.h"

namespace {

using topk::BestList;
using topk::kAllLanes;
using topk::kWarpSize;

constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
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

// Every lane returns the combination of all 32: first the maximum, so that a lane rescales once.
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

// 16 bytes, the most that a thread loads at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// A row cut where its addresses are multiples of 16 bytes: the head before the first such place,
// whole vectors, and the tail. Head and tail are the edges, an element a thread.
struct Cut {
  std::int64_t head;     // elements
  std::int64_t vectors;  // vectors
  std::int64_t edges;    // elements of head and tail together
};

template <typename T>
__device__ Cut cut_row(const T* x, std::int64_t cols) {
  static_assert(2 * kPerVector<T> <= kWarpSize, "the first warp has a lane for every edge element");
  const int past = reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) / sizeof(T);
  const int head = (kPerVector<T> - past) % kPerVector<T>;
  const std::int64_t vectors = (cols - head) / kPerVector<T>;  // 0 also for cols < head
  return {head, vectors, cols - vectors * kPerVector<T>};
}

// A thread works on one tile while the next is on its way: half of what step 06 has on its way at
// once, twice, as there would not be registers for more beside the list.
constexpr int kPerTile = 16;
template <typename T>
constexpr int kInFlight = kPerTile / kPerVector<T>;
template <typename T>
struct Tile {
  Vector vectors[kInFlight<T>];
};

// The vectors x[0], x[blockDim.x], ... Only `left` vectors are the row's: those behind them are not
// loaded and read as -inf, which adds nothing to a sum.
template <typename T>
__device__ Tile<T> load_tile(const Vector* x, std::int64_t left) {
  Tile<T> tile;
  T* values = reinterpret_cast<T*>(&tile);
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    values[i] = static_cast<T>(kNegativeInfinity);
  }
#pragma unroll
  for (int i = 0; i < kInFlight<T>; ++i) {
    if (i * blockDim.x < left) tile.vectors[i] = x[i * blockDim.x];
  }
  return tile;
}

// Adds all values of a tile to d, which is rescaled once for all of them.
template <typename T>
__device__ Normalizer combine_tile(Normalizer a, const Tile<T>& tile) {
  const T* values = reinterpret_cast<const T*>(&tile);
  float m = a.m;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    m = fmaxf(m, static_cast<float>(values[i]));  // drops a NaN, which its exponential brings back
  }
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    sum += expf(static_cast<float>(values[i]) - origin);
  }
  return {m, a.d * expf(a.m - origin) + sum};
}

// Offers the columns of a tile, whose first is `column`, to the list of the warp.
template <typename T, int kSlots>
__device__ void offer_tile(BestList<kSlots>& best, const Tile<T>& tile, std::int64_t column,
                           std::int64_t left) {
  const T* values = reinterpret_cast<const T*>(&tile);
  const std::int64_t stride = blockDim.x * kPerVector<T>;
  topk::offer_columns(best, topk::Offer<kInFlight<T>, kPerVector<T>, T>{values, column, stride,
                                                                        left * kPerVector<T>});
}

template <int kSlots, typename T>
__global__ void __launch_bounds__(kMaxThreads)
    softmax_top_k(const T* logits, float* values, std::int64_t* indices, std::int64_t cols, int k) {
  const T* x = logits + blockIdx.x * cols;
  const Cut cut = cut_row(x, cols);
  const int lane = threadIdx.x % kWarpSize;
  const std::int64_t tile_stride = kInFlight<T> * blockDim.x;
  const bool has_edge = threadIdx.x < cut.edges;
  const std::int64_t edge =
      threadIdx.x < cut.head ? threadIdx.x : threadIdx.x + cut.vectors * kPerVector<T>;

  // Asked for before the loop, needed after it: nobody waits for it.
  const float edge_logit = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  Normalizer mine;
  BestList<kSlots> best(k);
  const Vector* next = reinterpret_cast<const Vector*>(x + cut.head) + threadIdx.x;
  std::int64_t left = cut.vectors - threadIdx.x;
  Tile<T> coming = load_tile<T>(next, left);
  // Lanes of a warp make the same number of rounds: they decide together what enters their list.
  for (; left + lane > 0; left -= tile_stride) {
    const Tile<T> tile = coming;
    next += tile_stride;
    coming = load_tile<T>(next, left - tile_stride);  // while this one is worked on
    offer_tile(best, tile, cut.head + (cut.vectors - left) * kPerVector<T>, left);
    mine = combine_tile(mine, tile);
  }
  mine = combine(mine, {edge_logit, 1.0f});
  topk::finish(best, edge_logit, edge, has_edge);

  const Normalizer row = block_reduce(mine);
  topk::merge_warps(best);
  topk::write(best, values, indices, [&](float u) { return expf(u - row.m) / row.d; });
}

template <int kSlots, typename T>
void launch_with(const worklog::TopK<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  const std::size_t shared = topk::shared_bytes<kSlots>(problem.block_size);
  softmax_top_k<kSlots><<<grid, block, shared, stream>>>(problem.logits, problem.values,
                                                         problem.indices, problem.cols, problem.k);
  worklog::check_launch("softmax_top_k", grid, block, shared);
}

template <typename T>
void launch(const worklog::TopK<T>& problem, cudaStream_t stream) {
  static_assert(topk::slots_for(worklog::kMaxK) == 4, "a case for each power of two");
  switch (topk::slots_for(problem.k)) {
    case 1:
      return launch_with<1>(problem, stream);
    case 2:
      return launch_with<2>(problem, stream);
    default:
      return launch_with<4>(problem, stream);
  }
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "06_vectorized",
                      .loads = {1},
                      .stores = {.per_k = 2},
                      .block_sizes = 32,
                      .few_rows_block_sizes = {
                          {1024, 64}, {32000, 256}, {worklog::BlockSizes::kAnyWidth, 512}}});
