/// \file
/// Stands in for Thrust's header of this name, which would include all algorithms for a GPU.
#pragma once

#include <thrust/system/cuda/detail/par.h>

#include "simt/include/cuda_standin/thrust/system.h"
