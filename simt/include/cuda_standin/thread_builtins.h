/// \file
/// threadIdx, blockIdx, blockDim, gridDim and warpSize.
#pragma once

#include "simt/executor/executor.h"
#include "simt/executor/thread_index.h"
#include "simt/include/cuda_standin/vector_types.h"

using ::simt::blockDim;
using ::simt::blockIdx;
using ::simt::gridDim;
using ::simt::threadIdx;

inline constexpr int warpSize = 32;

namespace simt {
/// Asked by functions that host and device share, where `__CUDA_ARCH__` makes two of them.
constexpr bool on_device() {
  return !__builtin_is_constant_evaluated() && in_kernel();
}
}  // namespace simt
