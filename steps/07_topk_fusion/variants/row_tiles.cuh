// How all variants read a row: the 16-byte loads of step 06 and of softmax.cu beside this folder,
// so that variants differ in nothing but what they are named for.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "../best_list.cuh"

namespace topk {

constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// 16 bytes, the most that a thread loads or stores at once.
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

// A thread works on one tile while the next is on its way, as in the fused kernel.
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

// Where load_tile loads from, stores there; element by element if `y` is not aligned as `x` was.
template <typename T>
__device__ void store_tile(const Tile<T>& tile, T* y, std::int64_t left) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(y) % sizeof(Vector) == 0;
  const T* values = reinterpret_cast<const T*>(&tile);
#pragma unroll
  for (int i = 0; i < kInFlight<T>; ++i) {
    if (i * blockDim.x >= left) return;
    T* y_vector = y + i * blockDim.x * kPerVector<T>;
    if (aligned) {
      *reinterpret_cast<Vector*>(y_vector) = tile.vectors[i];
    } else {
#pragma unroll
      for (int j = 0; j < kPerVector<T>; ++j) {
        y_vector[j] = values[i * kPerVector<T> + j];
      }
    }
  }
}

// A thread's share of a row of x.
template <typename T>
struct RowShare {
  __device__ RowShare(const T* x, std::int64_t cols)
      : x(x),
        cut(cut_row(x, cols)),
        has_edge(threadIdx.x < cut.edges),
        edge(threadIdx.x < cut.head ? threadIdx.x : threadIdx.x + cut.vectors * kPerVector<T>) {}

  const T* x;
  Cut cut;
  bool has_edge;      // at most one, of a thread of the first warp
  std::int64_t edge;  // its column

  // -inf if there is none.
  __device__ float load_edge() const {
    return has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  }

  // Calls visit(tile, column, left) for each tile: `column` is the first of the tile, and `left`
  // vectors of the row remain from there on. Lanes of a warp make the same number of calls.
  template <typename Visit>
  __device__ void for_each_tile(Visit visit) const {
    const int lane = threadIdx.x % kWarpSize;
    const std::int64_t tile_stride = kInFlight<T> * blockDim.x;
    const Vector* next = reinterpret_cast<const Vector*>(x + cut.head) + threadIdx.x;
    std::int64_t left = cut.vectors - threadIdx.x;
    Tile<T> coming = load_tile<T>(next, left);
    for (; left + lane > 0; left -= tile_stride) {
      const Tile<T> tile = coming;
      next += tile_stride;
      coming = load_tile<T>(next, left - tile_stride);  // while this one is worked on
      visit(tile, cut.head + (cut.vectors - left) * kPerVector<T>, left);
    }
  }
};

// Offers the columns of a tile, whose first is `column`, to the list of the warp.
template <typename T, int kSlots>
__device__ void offer_tile(BestList<kSlots>& best, const Tile<T>& tile, std::int64_t column,
                           std::int64_t left) {
  const T* values = reinterpret_cast<const T*>(&tile);
  const std::int64_t stride = blockDim.x * kPerVector<T>;
  offer_columns(
      best, Offer<kInFlight<T>, kPerVector<T>, T>{values, column, stride, left * kPerVector<T>});
}

}  // namespace topk
