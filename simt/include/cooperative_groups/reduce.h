/// \file
/// Stands in for CUDA's cooperative_groups/reduce.h.
#pragma once

#include "simt/include/cooperative_groups.h"

namespace cooperative_groups {

template <typename T>
struct plus {
  SIMT_INLINE T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {  ///< the smaller one
  SIMT_INLINE T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {  ///< the larger one
  SIMT_INLINE T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  SIMT_INLINE T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  SIMT_INLINE T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  SIMT_INLINE T operator()(T a, T b) const { return a ^ b; }
};

/// Combines the values of a tile's threads; each thread returns the result.
template <unsigned tile_size, typename Parent, typename T, typename Operation>
SIMT_INLINE T reduce(const thread_block_tile<tile_size, Parent>& tile, T value, Operation operation,
                     simt::Location where = simt::Location::current()) {
  if constexpr (tile_size > 32) {
    tile.show(reduce(tiled_partition<32>(tile), value, operation, where), where);
    return tile.template combined<T>(operation, where);
  } else {
    for (unsigned distance = tile_size / 2; distance > 0; distance /= 2) {
      value = operation(value, tile.shfl_xor(value, distance, where));
    }
    return value;
  }
}

/// The same for any threads of a warp.
template <typename T, typename Operation>
SIMT_INLINE T reduce(const coalesced_group& group, T value, Operation operation,
                     simt::Location where = simt::Location::current()) {
  const unsigned rank = group.thread_rank();
  for (unsigned distance = 1; distance < group.num_threads(); distance *= 2) {
    const T other = group.shfl_down(value, distance, where);
    if (rank + distance < group.num_threads()) value = operation(value, other);
  }
  return group.shfl(value, 0, where);
}

}  // namespace cooperative_groups
