/// \file
/// CUDA's keywords that mean nothing on a CPU, or something that a host compiler says otherwise.
/// `__shared__` is not here: the source translator replaces it.
#pragma once

#include <memory>  // says __attribute__((__noinline__)): must come before the macro below

/// Defined where CUDA source is compiled for the CPU executor.
#define SIMT_EXECUTOR 1

// Libraries ask for this guard of CUDA's host_defines.h, to know that these are there.
#define __HOST_DEFINES_H__

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)  // the translator has the kernel check them
#define __maxnreg__(...)
#define __cluster_dims__(...)  // the translator gives it to the launches of the kernel
#define __forceinline__ __attribute__((always_inline)) inline
#define __align__(n) __attribute__((aligned(n)))
#define __noinline__ __attribute__((noinline))

/// Functions of the stand-in headers vanish into the line that calls them, as CUDA's built-ins do.
#define SIMT_INLINE __attribute__((always_inline)) inline
