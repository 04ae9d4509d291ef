/// \file
/// Barriers and fences.
#pragma once

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/qualifiers.h"
#include "simt/include/cuda_standin/thread_builtins.h"

namespace simt {
/// A sequentially consistent fence. Defined in the runtime, because g++ would instrument one in
/// device code.
void fence();
}  // namespace simt

SIMT_INLINE void __syncthreads(simt::Location where = simt::Location::current()) {
  simt::block_barrier(false, where);
}

/// How many threads of the block passed a predicate that is not 0.
SIMT_INLINE int __syncthreads_count(int predicate,
                                    simt::Location where = simt::Location::current()) {
  return simt::block_barrier(predicate != 0, where);
}

SIMT_INLINE int __syncthreads_or(int predicate, simt::Location where = simt::Location::current()) {
  return simt::block_barrier(predicate != 0, where) != 0;
}

/// True if no thread of the block passed 0. (Threads that have returned do not vote.)
SIMT_INLINE int __syncthreads_and(int predicate, simt::Location where = simt::Location::current()) {
  return simt::block_barrier(predicate == 0, where) == 0;
}

SIMT_INLINE void __syncwarp(unsigned mask = 0xffffffffu,
                            simt::Location where = simt::Location::current()) {
  simt::warp_operation({mask, 0, warpSize, simt::WarpOperation::kSync}, 0, where);
}

/// Threads of a block share an OS thread, so only the compiler could reorder what they see of each
/// other.
SIMT_INLINE void __threadfence_block() {
  asm volatile("" ::: "memory");
}
SIMT_INLINE void __threadfence() {
  simt::fence();
}
SIMT_INLINE void __threadfence_system() {
  simt::fence();
}

// Of a kernel that was launched before the one ahead of it in its stream had ended
// (cudaLaunchAttributeProgrammaticStreamSerialization). Here that one has always ended.
SIMT_INLINE void cudaGridDependencySynchronize() {
  simt::wait_for_kernel_ahead();
}
SIMT_INLINE void cudaTriggerProgrammaticLaunchCompletion() {}
