/// \file
/// CUDA's header of this name: its functions in C. Those in C++ (cuda::pipeline) are not here.
#pragma once

#include "simt/include/cuda_pipeline_primitives.h"
