/// \file
/// Numbers and places of the blocks of a grid, and which of them form a cluster: a box of the
/// grid.
#pragma once

#include <cstdint>

#include "simt/executor/executor.h"
#include "simt/executor/index3.h"

namespace simt {

/// How many there are in a grid, a block or a cluster of this shape.
constexpr std::uint64_t volume(const Dim3& shape) {
  return std::uint64_t{shape.x} * shape.y * shape.z;
}

/// Where number `number` of a shape stands: along x first, then y, then z.
constexpr Index3 index_in(const Dim3& shape, std::uint64_t number) {
  return {static_cast<unsigned>(number % shape.x),
          static_cast<unsigned>(number / shape.x % shape.y),
          static_cast<unsigned>(number / shape.x / shape.y)};
}

/// The number of what stands there.
constexpr std::uint64_t number_in(const Dim3& shape, const Index3& index) {
  return (std::uint64_t{index.z} * shape.y + index.y) * shape.x + index.x;
}

/// A grid that is cut into clusters of one shape, which divides its own.
struct ClusteredGrid {
  Dim3 grid;     ///< in blocks
  Dim3 cluster;  ///< in blocks

  /// In clusters.
  constexpr Dim3 clusters() const {
    return {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  }
  /// The place in the grid of the block that is number `rank` of a cluster.
  constexpr Index3 block(std::uint64_t number_of_cluster, unsigned rank) const {
    const Index3 outer = index_in(clusters(), number_of_cluster);
    const Index3 inner = index_in(cluster, rank);
    return {outer.x * cluster.x + inner.x, outer.y * cluster.y + inner.y,
            outer.z * cluster.z + inner.z};
  }
  /// The number of the cluster that a block is of.
  constexpr std::uint64_t cluster_of(std::uint64_t number_of_block) const {
    const Index3 block = index_in(grid, number_of_block);
    return number_in(clusters(), {block.x / cluster.x, block.y / cluster.y, block.z / cluster.z});
  }
};

}  // namespace simt
