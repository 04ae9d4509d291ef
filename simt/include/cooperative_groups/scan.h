/// \file
/// Stands in for CUDA's cooperative_groups/scan.h.
#pragma once

#include "simt/include/cooperative_groups.h"
#include "simt/include/cooperative_groups/reduce.h"

namespace cooperative_groups {

/// Combines the values of the group's threads up to and with the calling one.
template <typename Group, typename T, typename Operation>
SIMT_INLINE T inclusive_scan(const Group& group, T value, Operation operation,
                             simt::Location where = simt::Location::current()) {
  const unsigned rank = group.thread_rank();
  for (unsigned distance = 1; distance < group.num_threads(); distance *= 2) {
    const T below = group.shfl_up(value, distance, where);
    if (rank >= distance) value = operation(below, value);
  }
  return value;
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
  const T below = group.shfl_up(all, 1, where);
  return group.thread_rank() == 0 ? T{} : below;
}
template <typename Group, typename T>
SIMT_INLINE T exclusive_scan(const Group& group, T value,
                             simt::Location where = simt::Location::current()) {
  return exclusive_scan(group, value, plus<T>(), where);
}

}  // namespace cooperative_groups
