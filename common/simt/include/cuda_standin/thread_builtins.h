/// \file
/// threadIdx, blockIdx, blockDim, gridDim and warpSize.
#pragma once

#include "common/simt/executor/thread_index.h"
#include "common/simt/include/cuda_standin/vector_types.h"

using ::simt::blockDim;
using ::simt::blockIdx;
using ::simt::gridDim;
using ::simt::threadIdx;

inline constexpr int warpSize = 32;
