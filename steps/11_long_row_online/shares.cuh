// How the blocks of this step share a row.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/device/row_tiles.cuh"

namespace one_row {

using namespace worklog::device;

// Two for each multiprocessor of an H200, nearly: enough to read as fast as the memory can, and few
// enough that every block of the second launch can read all their pairs.
constexpr std::int64_t kMaxReducingBlocks = 256;

// Blocks of which each thread has a tile.
constexpr std::int64_t dividing_blocks(std::int64_t cols, int block_size) {
  const std::int64_t share = std::int64_t{kPerTile} * block_size;
  return (cols + share - 1) / share;
}

// The same, then from the first block again.
constexpr std::int64_t reducing_blocks(std::int64_t cols, int block_size) {
  return std::min(dividing_blocks(cols, block_size), kMaxReducingBlocks);
}

// What is left of the row beside its vectors: the first block's threads have an element each.
__device__ __forceinline__ bool has_edge(const Cut& cut) {
  return blockIdx.x == 0 && threadIdx.x < cut.edges;
}

template <typename T>
__device__ __forceinline__ std::int64_t edge_column(const Cut& cut) {
  return threadIdx.x < cut.head ? threadIdx.x : threadIdx.x + cut.vectors * kPerVector<T>;
}

}  // namespace one_row
