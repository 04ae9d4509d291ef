/// \file
/// Stands in for Thrust's header of this name, which would include CUB.
#pragma once

#include <thrust/detail/config.h>

#define __THRUST_HAS_CUDART__ 1
#define THRUST_RUNTIME_FUNCTION __host__ __device__ inline
