// The last pass of an unfused softmax.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "row_tiles.cuh"

namespace topk {

// e / d, given 1 / d, as in step 06.
__device__ inline float divide(float e, float d, float reciprocal) {
  const float quotient = e * reciprocal;
  const float rest = fmaf(-quotient, d, e);
  return fmaf(rest, reciprocal, quotient);
}

// Writes the probabilities of a row whose maximum is m and whose sum of exponentials is d.
template <typename T>
__device__ void store_softmax(const RowShare<T>& row, T* probabilities, float m, float d) {
  const float reciprocal = 1.0f / d;
  if (row.has_edge) {
    probabilities[row.edge] = static_cast<T>(expf(row.load_edge() - m) / d);
  }
  row.for_each_tile([&](Tile<T> tile, std::int64_t column, std::int64_t left) {
    T* values = reinterpret_cast<T*>(&tile);
#pragma unroll
    for (int i = 0; i < kPerTile; ++i) {
      values[i] = static_cast<T>(divide(expf(static_cast<float>(values[i]) - m), d, reciprocal));
    }
    store_tile(tile, probabilities + column, left);
  });
}

}  // namespace topk
