/// \file
/// What operations on atomic objects do to what their threads do before and behind them. Orders are
/// numbered as the compiler's __ATOMIC_RELAXED to __ATOMIC_SEQ_CST are, and as those of C++.
#pragma once

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/synchronization.h"

namespace simt {

/// Whether what comes before is told by it.
SIMT_INLINE constexpr bool releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}
/// Whether what comes behind knows what it was told.
SIMT_INLINE constexpr bool acquires(int order) {
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

/// Goes before an operation that stores. Fences tell other blocks, if they may be meant; threads of
/// one block, through an object in its shared memory, are told by the object.
SIMT_INLINE void begin_atomic(const void* object, int order, bool tells_other_blocks) {
  if (!releases(order) || !in_kernel()) return;
  if (tells_other_blocks) fence();
  release_through(object);
}
/// Goes behind an operation that loads.
SIMT_INLINE void end_atomic(const void* object, int order) {
  if (acquires(order) && in_kernel()) acquire_through(object);
}

}  // namespace simt
