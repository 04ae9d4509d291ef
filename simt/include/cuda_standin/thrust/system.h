/// \file
/// Thrust's system for a device, as far as it is not Thrust's own: how it runs algorithms, copies
/// from and to the host, and reaches single values and memory. Thrust finds all of it by its tag.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/system/cuda/detail/execution_policy.h>

#include "simt/include/cuda_standin/thrust/algorithms.h"
#include "simt/include/cuda_standin/thrust/copy.h"
#include "simt/include/cuda_standin/thrust/memory.h"
#include "simt/include/cuda_standin/thrust/values.h"
