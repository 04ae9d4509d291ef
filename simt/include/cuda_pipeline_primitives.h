/// \file
/// Asynchronous copies from global to shared memory (cp.async), as CUDA's header of this name has
/// them.
#pragma once

#include <cstddef>

#include "simt/executor/executor.h"
#include "simt/include/cuda_runtime.h"

/// Starts a copy of 4, 8 or 16 bytes, of which the last `zeros` are not read: zeros arrive for
/// them.
SIMT_INLINE void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes,
                                         std::size_t zeros = 0,
                                         simt::Location where = simt::Location::current()) {
  simt::start_async_copy(shared, global, bytes, zeros, where);
}

/// Closes a group of all copies that the thread has started since it closed one.
SIMT_INLINE void __pipeline_commit() {
  simt::commit_async_copies();
}

/// Waits for all groups of the thread but the latest `groups_left`.
SIMT_INLINE void __pipeline_wait_prior(std::size_t groups_left) {
  simt::wait_for_async_copies(groups_left);
}
