/// \file
/// Stands in for Thrust's header of this name: says what the device's system is.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/system/cuda/detail/execution_policy.h>

THRUST_NAMESPACE_BEGIN
using device_system_tag = thrust::system::cuda::tag;
THRUST_NAMESPACE_END

// Needs to know the tag already.
#include "simt/include/cuda_standin/thrust/system.h"
