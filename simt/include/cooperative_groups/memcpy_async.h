/// \file
/// Stands in for CUDA's header of this name: copies of a group that go on while its threads do.
#pragma once

#include <cstddef>

#include "simt/include/cooperative_groups.h"
#include "simt/include/cuda_standin/libcudacxx/memcpy_async.h"

namespace cooperative_groups {

/// The group's threads copy together, as one group of their asynchronous copies.
template <typename Group>
SIMT_INLINE void memcpy_async(const Group& group, void* to, const void* from, std::size_t bytes,
                              simt::Location where = simt::Location::current()) {
  cuda::details::copy_share(group, to, from, bytes,
                            [&](char* target, const char* source, std::size_t piece) {
                              simt::start_async_copy(target, source, piece, 0, where);
                            });
  simt::commit_async_copies();
}
/// The same of elements: the fewer of those that there are and that there is room for.
template <typename Group, typename T>
SIMT_INLINE void memcpy_async(const Group& group, T* to, std::size_t room, const T* from,
                              std::size_t count, simt::Location where = simt::Location::current()) {
  memcpy_async(group, static_cast<void*>(to), static_cast<const void*>(from),
               (room < count ? room : count) * sizeof(T), where);
}

/// Waits for all of the group's copies but those of the latest `kPrior` calls.
template <unsigned kPrior, typename Group>
SIMT_INLINE void wait_prior(const Group& group, simt::Location where = simt::Location::current()) {
  simt::wait_for_async_copies(kPrior);
  group.sync(where);
}
template <typename Group>
SIMT_INLINE void wait(const Group& group, simt::Location where = simt::Location::current()) {
  wait_prior<0>(group, where);
}

}  // namespace cooperative_groups
