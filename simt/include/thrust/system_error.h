/// \file
/// Comes before Thrust's own header of this name: from here on that is what algorithms throw.
#pragma once

// clang-format off
#include_next <thrust/system_error.h>
#include <thrust/system/cuda/error.h>
#include "simt/include/cuda_standin/thrust/run.h"
// clang-format on

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

[[maybe_unused]] inline const bool throws_system_errors = [] {
  throw_error = [](cudaError_t error, const char* what) {
    throw thrust::system_error(error, thrust::cuda_category(), what);
  };
  return true;
}();

}  // namespace cuda_cub
THRUST_NAMESPACE_END
