// The last pass of an unfused softmax.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "row_tiles.cuh"

namespace topk {

// Writes the probabilities of a row whose maximum is m and whose sum of exponentials is d.
template <typename T>
__device__ void store_softmax(const RowShare<T>& row, T* probabilities, float m, float d) {
  const float scale = 1.0f / d;
  if (row.has_edge) {
    probabilities[row.edge] = static_cast<T>(expf(row.load_edge() - m) * scale);
  }
  row.for_each_tile([&](Tile tile, std::int64_t column, std::int64_t left) {
    T* values = reinterpret_cast<T*>(&tile);
#pragma unroll
    for (int i = 0; i < kPerTile<T>; ++i) {
      values[i] = static_cast<T>(expf(static_cast<float>(values[i]) - m) * scale);
    }
    store_tile(tile, probabilities + column, left);
  });
}

}  // namespace topk
