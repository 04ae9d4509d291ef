/// \file
/// There is no profiler to start or stop.
#pragma once

#include "common/simt/include/cuda_runtime.h"

WORKLOG_SIMT_INLINE cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
WORKLOG_SIMT_INLINE cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}
