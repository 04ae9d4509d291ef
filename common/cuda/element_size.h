/// \file
/// Traffic is counted in elements, and bytes alone do not tell how large those are.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace worklog {

/// Tells the CPU executor that [address, address + bytes) holds elements of `element_bytes`. A GPU
/// needs no telling.
inline void declare_element_size([[maybe_unused]] const void* address,
                                 [[maybe_unused]] std::size_t bytes,
                                 [[maybe_unused]] std::size_t element_bytes) {
#ifdef SIMT_EXECUTOR
  simt::set_element_size(address, bytes, element_bytes);
#endif
}

}  // namespace worklog
