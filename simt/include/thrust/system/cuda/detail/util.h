/// \file
/// Stands in for Thrust's header of this name, which would include CUB: what its policies and its
/// memory resources need.
#pragma once

#include <cuda_runtime_api.h>

#include <thrust/system/cuda/detail/execution_policy.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

inline cudaStream_t default_stream() {
  return nullptr;
}

inline void throw_on_error(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw thrust::system_error(status, thrust::cuda_category(), what);
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
