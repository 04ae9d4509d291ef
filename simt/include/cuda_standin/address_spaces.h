/// \file
/// Addresses in the block's shared memory as inline PTX wants them.
#pragma once

#include <cstddef>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/qualifiers.h"

SIMT_INLINE std::size_t __cvta_generic_to_shared(const void* pointer) {
  return simt::address_in_shared_memory(pointer);
}
SIMT_INLINE void* __cvta_shared_to_generic(std::size_t address) {
  return simt::pointer_to_shared_memory(address);
}
/// Whether it points into the shared memory of the calling thread's block.
SIMT_INLINE unsigned __isShared(const void* pointer) {
  return simt::is_shared_memory(pointer) ? 1 : 0;
}
