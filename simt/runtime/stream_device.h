/// \file
/// Which device a stream belongs to.
#pragma once

#include "simt/include/cuda_standin/runtime_types.h"

namespace simt {

/// Streams without a handle are those of the device that the calling thread uses.
int device_of_stream(cudaStream_t stream);

}  // namespace simt
