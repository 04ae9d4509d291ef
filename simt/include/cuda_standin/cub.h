/// \file
/// What sources with CUB's headers include first: CUB asks the compiler by these for which side and
/// architecture it compiles, and here one compilation is for both sides.
#pragma once

#include "simt/include/cuda_standin/thread_builtins.h"

#define __CUDA_ARCH_LIST__ 900
#define CUB_PTX_ARCH 900
#define CUB_INCLUDE_HOST_CODE 1
#define CUB_INCLUDE_DEVICE_CODE 1
#define CUB_IS_DEVICE_CODE (::simt::on_device())
#define CUB_IS_HOST_CODE (!::simt::on_device())
#define CUB_RUNTIME_ENABLED
#define CUB_RUNTIME_FUNCTION __host__ __device__
// Operations of a warp name the lanes that take part.
#define CUB_USE_COOPERATIVE_GROUPS
