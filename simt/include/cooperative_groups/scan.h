/// \file
/// Stands in for CUDA's cooperative_groups/scan.h.
#pragma once

#include "simt/include/cooperative_groups.h"
#include "simt/include/cooperative_groups/reduce.h"

namespace cooperative_groups {

namespace details {
/// Of a tile of several warps, each of which has scanned its own values to `in_warp`: combined with
/// those of the warps before.
template <unsigned tile_size, typename T, typename Operation>
SIMT_INLINE T with_warps_before(const tile_of_warps<tile_size>& tile, T in_warp,
                                Operation operation, simt::Location where) {
  tile.show(in_warp, where);
  const unsigned warps_before = tile.thread_rank() / 32;
  if (warps_before > 0) {
    T before = tile.template shown<T>(31);
    for (unsigned warp = 1; warp < warps_before; ++warp)
      before = operation(before, tile.template shown<T>(32 * warp + 31));
    in_warp = operation(before, in_warp);
  }
  tile.sync(where);
  return in_warp;
}
}  // namespace details

/// Combines the values of the group's threads up to and with the calling one.
template <typename Group, typename T, typename Operation>
SIMT_INLINE T inclusive_scan(const Group& group, T value, Operation operation,
                             simt::Location where = simt::Location::current()) {
  if constexpr (details::has_several_warps<Group>) {
    const T in_warp = inclusive_scan(tiled_partition<32>(group), value, operation, where);
    return details::with_warps_before(group, in_warp, operation, where);
  } else {
    const unsigned rank = group.thread_rank();
    for (unsigned distance = 1; distance < group.num_threads(); distance *= 2) {
      const T below = group.shfl_up(value, distance, where);
      if (rank >= distance) value = operation(below, value);
    }
    return value;
  }
}
template <typename Group, typename T>
SIMT_INLINE T inclusive_scan(const Group& group, T value,
                             simt::Location where = simt::Location::current()) {
  return inclusive_scan(group, value, plus<T>(), where);
}

/// The same without the calling one; the first gets a T{}, which for another operation than a sum
/// means nothing, as in CUDA.
template <typename Group, typename T, typename Operation>
SIMT_INLINE T exclusive_scan(const Group& group, T value, Operation operation,
                             simt::Location where = simt::Location::current()) {
  const T all = inclusive_scan(group, value, operation, where);
  const unsigned rank = group.thread_rank();
  if constexpr (details::has_several_warps<Group>) {
    group.show(all, where);
    const T below = group.template take<T>(rank == 0 ? 0 : rank - 1, where);
    return rank == 0 ? T{} : below;
  } else {
    const T below = group.shfl_up(all, 1, where);
    return rank == 0 ? T{} : below;
  }
}
template <typename Group, typename T>
SIMT_INLINE T exclusive_scan(const Group& group, T value,
                             simt::Location where = simt::Location::current()) {
  return exclusive_scan(group, value, plus<T>(), where);
}

}  // namespace cooperative_groups
