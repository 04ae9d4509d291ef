/// \file
/// Which streams there are, and which device each belongs to.
#pragma once

#include "simt/include/cuda_standin/runtime_types.h"

namespace simt {

/// Whether it was created and lives, or is one of those that always are.
bool is_stream(cudaStream_t stream);

/// Streams without a handle are those of the device that the calling thread uses.
int device_of_stream(cudaStream_t stream);

}  // namespace simt
