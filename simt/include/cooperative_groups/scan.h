/// \file
/// Stands in for CUDA's cooperative_groups/scan.h.
#pragma once

#include <type_traits>

#include "simt/include/cooperative_groups.h"
#include "simt/include/cooperative_groups/reduce.h"
#include "simt/include/cuda_standin/libcudacxx/atomic.h"

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

namespace details {
/// What the thread of the rank below has; of no meaning in the first.
template <typename Group, typename T>
SIMT_INLINE T of_rank_below(const Group& group, T value, simt::Location where) {
  if constexpr (has_several_warps<Group>) {
    const unsigned rank = group.thread_rank();
    group.show(value, where);
    return group.template take<T>(rank == 0 ? 0 : rank - 1, where);
  } else {
    return group.shfl_up(value, 1, where);
  }
}
}  // namespace details

/// The same without the calling one; the first gets a T{}, which for another operation than a sum
/// means nothing, as in CUDA.
template <typename Group, typename T, typename Operation>
SIMT_INLINE T exclusive_scan(const Group& group, T value, Operation operation,
                             simt::Location where = simt::Location::current()) {
  const T all = inclusive_scan(group, value, operation, where);
  const T below = details::of_rank_below(group, all, where);
  return group.thread_rank() == 0 ? T{} : below;
}
template <typename Group, typename T>
SIMT_INLINE T exclusive_scan(const Group& group, T value,
                             simt::Location where = simt::Location::current()) {
  return exclusive_scan(group, value, plus<T>(), where);
}

namespace details {
/// Combines an atomic object with a value by one atomic operation, and returns what it was before.
template <typename Atomic, typename T, typename Operation>
SIMT_INLINE T update_atomic(Atomic& object, T value, Operation operation, simt::Location where) {
  constexpr auto kOrder = cuda::memory_order_relaxed;
  if constexpr (std::is_same_v<Operation, plus<T>>) return object.fetch_add(value, kOrder, where);
  if constexpr (std::is_same_v<Operation, less<T>>) return object.fetch_min(value, kOrder, where);
  if constexpr (std::is_same_v<Operation, greater<T>>) {
    return object.fetch_max(value, kOrder, where);
  }
  if constexpr (std::is_same_v<Operation, bit_and<T>>) {
    return object.fetch_and(value, kOrder, where);
  }
  if constexpr (std::is_same_v<Operation, bit_or<T>>) return object.fetch_or(value, kOrder, where);
  if constexpr (std::is_same_v<Operation, bit_xor<T>>) {
    return object.fetch_xor(value, kOrder, where);
  }
  T before = object.load(kOrder, where);
  while (!object.compare_exchange_weak(before, operation(before, value), kOrder, where)) {
  }
  return before;
}

/// The last thread of the group combines the object with what the group's values combine to;
/// returned is what the object was before.
template <typename Group, typename Atomic, typename T, typename Operation>
SIMT_INLINE T update_by_last(const Group& group, Atomic& object, T of_all, Operation operation,
                             simt::Location where) {
  const unsigned last = static_cast<unsigned>(group.num_threads()) - 1;
  T before{};
  if (group.thread_rank() == last) before = update_atomic(object, of_all, operation, where);
  return group.shfl(before, last, where);
}
}  // namespace details

/// Scans the group's values behind what an object of cuda::atomic's or cuda::atomic_ref's holds,
/// and combines that with all of them, by one atomic operation of one of the threads.
template <typename Group, typename Atomic, typename T, typename Operation>
SIMT_INLINE T inclusive_scan_update(const Group& group, Atomic&& object, T value,
                                    Operation operation,
                                    simt::Location where = simt::Location::current()) {
  const T up_to_mine = inclusive_scan(group, value, operation, where);
  return operation(details::update_by_last(group, object, up_to_mine, operation, where),
                   up_to_mine);
}
template <typename Group, typename Atomic, typename T>
SIMT_INLINE T inclusive_scan_update(const Group& group, Atomic&& object, T value,
                                    simt::Location where = simt::Location::current()) {
  return inclusive_scan_update(group, object, value, plus<T>(), where);
}

/// The same without the calling thread's value: the first gets what the object held.
template <typename Group, typename Atomic, typename T, typename Operation>
SIMT_INLINE T exclusive_scan_update(const Group& group, Atomic&& object, T value,
                                    Operation operation,
                                    simt::Location where = simt::Location::current()) {
  const T up_to_mine = inclusive_scan(group, value, operation, where);
  const T before = details::update_by_last(group, object, up_to_mine, operation, where);
  const T below = details::of_rank_below(group, up_to_mine, where);
  return group.thread_rank() == 0 ? before : operation(before, below);
}
template <typename Group, typename Atomic, typename T>
SIMT_INLINE T exclusive_scan_update(const Group& group, Atomic&& object, T value,
                                    simt::Location where = simt::Location::current()) {
  return exclusive_scan_update(group, object, value, plus<T>(), where);
}

}  // namespace cooperative_groups
