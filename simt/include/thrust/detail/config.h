/// \file
/// Comes before Thrust's own header of this name, which each of its headers includes first: Thrust
/// is compiled as for a host without nvcc, and its device is the executor's. Its system "cuda" is
/// simt/include/cuda_standin/thrust; where Thrust looks for the algorithms of that system, it finds
/// those of its system for a single thread, which are not taken.
#pragma once

#pragma push_macro("__CUDACC__")
#undef __CUDACC__
#include_next <thrust/detail/config.h>
#pragma pop_macro("__CUDACC__")

#undef __THRUST_DEVICE_SYSTEM_ROOT
// clang-format off
#define __THRUST_DEVICE_SYSTEM_ROOT thrust/system/cpp
// clang-format on
