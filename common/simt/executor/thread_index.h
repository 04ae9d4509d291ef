/// \file
/// Where the running thread is in its grid, as kernels see it. Each worker has its own copy, which
/// the executor rewrites whenever another thread runs.
///
/// They are const here on purpose: g++ leaves loads of const objects uninstrumented, and both
/// compilers may keep a value in a register across a barrier, as they should. `constinit` spares
/// the call of a thread-local wrapper. They have CUDA's names because the stand-in headers import
/// them with `using`: C++ gives an object no second name.
#pragma once

#include "common/simt/executor/index3.h"

namespace simt {

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
extern constinit thread_local const Index3 threadIdx;  ///< of the running thread
extern constinit thread_local const Index3 blockIdx;   ///< of the running thread
extern constinit thread_local const Index3 blockDim;   ///< of the running launch
extern constinit thread_local const Index3 gridDim;    ///< of the running launch
// NOLINTEND(readability-identifier-naming)

}  // namespace simt
