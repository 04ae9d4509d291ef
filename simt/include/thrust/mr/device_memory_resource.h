/// \file
/// Stands in for Thrust's header of this name: says where device_vector gets its memory.
#pragma once

#include <thrust/system/cuda/memory_resource.h>

THRUST_NAMESPACE_BEGIN
using device_memory_resource = thrust::system::cuda::memory_resource;
using universal_memory_resource = thrust::system::cuda::universal_memory_resource;
using universal_host_pinned_memory_resource =
    thrust::system::cuda::universal_host_pinned_memory_resource;
THRUST_NAMESPACE_END
