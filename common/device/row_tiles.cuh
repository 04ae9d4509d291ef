/// \file
/// A row of any alignment in loads and stores of 16 bytes, several under way at once: what step 06
/// teaches, for the steps from 08 on.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/device/block_shape.cuh"
#include "common/device/normalizer.cuh"

namespace worklog::device {

/// 16 bytes, the most that a thread loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);  ///< Elements of T in a vector.

/// A row cut where its addresses are multiples of 16 bytes: the head before the first such place,
/// whole vectors, and the tail. Head and tail are the edges, an element a thread.
struct Cut {
  std::int64_t head;     ///< elements
  std::int64_t vectors;  ///< vectors
  std::int64_t edges;    ///< elements of head and tail together
};

/// Cuts the row of `cols` elements at `x`, which is aligned to T.
template <typename T>
__device__ __forceinline__ Cut cut_row(const T* x, std::int64_t cols) {
  static_assert(2 * kPerVector<T> <= kWarpSize, "any block has a thread for every edge element");
  const int past = reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) / sizeof(T);
  const int head = (kPerVector<T> - past) % kPerVector<T>;
  const std::int64_t vectors = (cols - head) / kPerVector<T>;  // 0 also for cols < head
  return {head, vectors, cols - vectors * kPerVector<T>};
}

/// The elements that a thread has on their way at once. With 16 too little of a row is under way;
/// 64 do not fit the registers that a thread of a block of 1024 has.
constexpr int kPerTile = 32;
/// Vectors that a thread has on their way at once.
template <typename T>
constexpr int kInFlight = kPerTile / kPerVector<T>;
/// What a thread loads at once: kPerTile elements of a row.
template <typename T>
struct Tile {
  Vector vectors[kInFlight<T>];  ///< as loaded, a block's width apart
};

/// A row is read twice. What is read for the last time, as what is written, need not stay in the
/// caches: marked so, it leaves room for the rows that will be read again.
enum class Read {
  kFirst,  ///< it will be read again
  kLast,   ///< it will not
};

/// The vectors first, first + blockDim.x, ... Those from `end` on are not loaded: they read as
/// -inf, which adds nothing to a sum.
template <typename T, Read kRead>
__device__ __forceinline__ Tile<T> load_tile(const Vector* x, std::int64_t first,
                                             std::int64_t end) {
  Tile<T> tile;
  T* values = reinterpret_cast<T*>(&tile);
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    values[i] = static_cast<T>(kNegativeInfinity);
  }
#pragma unroll
  for (int i = 0; i < kInFlight<T>; ++i) {
    const std::int64_t vector = first + i * blockDim.x;
    if (vector >= end) continue;
    if constexpr (kRead == Read::kLast) {
      tile.vectors[i] = __ldcs(x + vector);
    } else {
      tile.vectors[i] = x[vector];
    }
  }
  return tile;
}

/// Adds all values of a tile to d, which is rescaled once for all of them.
template <typename T>
__device__ __forceinline__ Normalizer combine_tile(Normalizer a, const Tile<T>& tile) {
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

/// e / d, given 1 / d: the product with the reciprocal, corrected by what it is off. Step 06 says
/// what a division costs instead.
__device__ __forceinline__ float divide(float e, float d, float reciprocal) {
  const float quotient = e * reciprocal;
  const float rest = fmaf(-quotient, d, e);
  return fmaf(rest, reciprocal, quotient);
}

/// The softmax of a tile of a row that is known.
template <typename T>
__device__ __forceinline__ Tile<T> softmax_of(Tile<T> tile, Normalizer row) {
  const float reciprocal = 1.0f / row.d;
  T* values = reinterpret_cast<T*>(&tile);
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    values[i] =
        static_cast<T>(divide(expf(static_cast<float>(values[i]) - row.m), row.d, reciprocal));
  }
  return tile;
}

/// Where load_tile loads from, stores there; element by element if `y` is not aligned as `x` was.
template <typename T>
__device__ __forceinline__ void store_tile(const Tile<T>& tile, T* y, std::int64_t first,
                                           std::int64_t end) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(y) % sizeof(Vector) == 0;
  const T* values = reinterpret_cast<const T*>(&tile);
#pragma unroll
  for (int i = 0; i < kInFlight<T>; ++i) {
    const std::int64_t vector = first + i * blockDim.x;
    if (vector >= end) return;
    if (aligned) {
      __stcs(reinterpret_cast<Vector*>(y) + vector, tile.vectors[i]);
    } else {
#pragma unroll
      for (int j = 0; j < kPerVector<T>; ++j) {
        y[vector * kPerVector<T> + j] = values[i * kPerVector<T> + j];
      }
    }
  }
}

}  // namespace worklog::device
