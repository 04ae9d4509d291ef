/// \file
/// CUDA's header of this name.
#pragma once

#include "simt/include/cuda/pipeline"
#include "simt/include/cuda_pipeline_primitives.h"
