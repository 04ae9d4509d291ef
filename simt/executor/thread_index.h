/// \file
/// Where the running thread is in its grid, as kernels see it. Each worker has its own copy, which
/// the executor rewrites whenever another thread runs.
///
/// They are const here on purpose: g++ leaves loads of const objects uninstrumented, and both
/// compilers may keep a value in a register across a barrier, as they should. SIMT_CONSTINIT spares
/// the call of a thread-local wrapper. They have CUDA's names because the stand-in headers import
/// them with `using`: C++ gives an object no second name.
#pragma once

#include "simt/executor/index3.h"

/// C++20's `constinit`, in every C++.
#if defined(__clang__)
#define SIMT_CONSTINIT __attribute__((require_constant_initialization))
#else
#define SIMT_CONSTINIT __constinit
#endif

namespace simt {

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
extern SIMT_CONSTINIT thread_local const Index3 threadIdx;  ///< of the running thread
extern SIMT_CONSTINIT thread_local const Index3 blockIdx;   ///< of the running thread
extern SIMT_CONSTINIT thread_local const Index3 blockDim;   ///< of the running launch
extern SIMT_CONSTINIT thread_local const Index3 gridDim;    ///< of the running launch
// NOLINTEND(readability-identifier-naming)

}  // namespace simt
