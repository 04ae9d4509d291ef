/// \file
/// How the copying and reading kernels share an array among blocks.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace worklog::bench {

inline constexpr int kTransferThreads = 256;

/// Vectors that one block takes at a time: each thread has `in_flight` of them under way.
template <int in_flight>
inline constexpr std::int64_t kTile = in_flight* kTransferThreads;

/// Blocks of which each takes one tile.
template <typename Vector, int in_flight>
unsigned blocks_to_cover(std::int64_t bytes) {
  const std::int64_t vectors = bytes / static_cast<std::int64_t>(sizeof(Vector));
  return static_cast<unsigned>(
      std::max<std::int64_t>(1, (vectors + kTile<in_flight> - 1) / kTile<in_flight>));
}

/// Blocks of a persistent kernel on one SM: as many as its 2048 threads allow.
inline constexpr int kResidentBlocksPerSm = 2048 / kTransferThreads;

}  // namespace worklog::bench
