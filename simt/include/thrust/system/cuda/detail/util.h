/// \file
/// Stands in for Thrust's header of this name, which would include CUB: what its policies need.
#pragma once

#include <cuda_runtime_api.h>

#include <thrust/system/cuda/detail/execution_policy.h>
#include <thrust/system_error.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

inline cudaStream_t default_stream() {
  return nullptr;
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
