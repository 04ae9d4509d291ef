/// \file
/// The objects of thread_index.h as the executor sees them: writable. Never include both.
#pragma once

#include "common/simt/executor/index3.h"

namespace simt {

extern constinit thread_local Index3 threadIdx;
extern constinit thread_local Index3 blockIdx;
extern constinit thread_local Index3 blockDim;
extern constinit thread_local Index3 gridDim;

}  // namespace simt
