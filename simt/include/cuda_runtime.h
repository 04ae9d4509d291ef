/// \file
/// Stands in for CUDA's cuda_runtime.h where source is compiled for the CPU executor; nvcc never
/// sees it. For sources in C it has the functions that C can call: kernels are launched from CUDA.
#pragma once

// Programs ask for this guard of CUDA's own header, to know that it has been included.
#define __CUDA_RUNTIME_H__

#ifdef __cplusplus
#include "simt/include/cuda_standin/address_spaces.h"
#include "simt/include/cuda_standin/atomics.h"
#include "simt/include/cuda_standin/cached_access.h"
#include "simt/include/cuda_standin/compiler_atomics.h"
#include "simt/include/cuda_standin/device_math.h"
#include "simt/include/cuda_standin/device_variables.h"
#include "simt/include/cuda_standin/launch.h"
#include "simt/include/cuda_standin/launch_bounds.h"
#include "simt/include/cuda_standin/ptx.h"
#include "simt/include/cuda_standin/qualifiers.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/include/cuda_standin/runtime_types.h"
#include "simt/include/cuda_standin/shared_variables.h"
#include "simt/include/cuda_standin/synchronization.h"
#include "simt/include/cuda_standin/texture_types.h"
#include "simt/include/cuda_standin/textures.h"
#include "simt/include/cuda_standin/thread_builtins.h"
#include "simt/include/cuda_standin/trap.h"
#include "simt/include/cuda_standin/vector_types.h"
#include "simt/include/cuda_standin/warp_primitives.h"
#else
#include "simt/include/cuda_standin/c_api.h"
#endif
