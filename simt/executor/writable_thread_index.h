/// \file
/// The objects of thread_index.h as the executor sees them: writable. Never include both.
#pragma once

#include "simt/executor/index3.h"

namespace simt {

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
extern constinit thread_local Index3 threadIdx;
extern constinit thread_local Index3 blockIdx;
extern constinit thread_local Index3 blockDim;
extern constinit thread_local Index3 gridDim;
// NOLINTEND(readability-identifier-naming)

}  // namespace simt
