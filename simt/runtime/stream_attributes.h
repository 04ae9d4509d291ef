/// \file
/// What a program asks of a stream beside its work. Nothing here depends on it.
#pragma once

#include "simt/include/cuda_standin/runtime_types.h"

namespace simt {

/// The attributes of a stream.
struct StreamAttributes {
  cudaAccessPolicyWindow window = {};                      ///< none while it has no bytes
  cudaSynchronizationPolicy waiting = cudaSyncPolicyAuto;  ///< how the host waits
  int priority = 0;                                        ///< less is sooner
};

/// Of a stream that there is.
StreamAttributes& attributes_of(cudaStream_t stream);

/// Whether a device would take it.
bool is_valid(const cudaAccessPolicyWindow& window);

/// The nearest priority that a device has.
int nearest_priority(int priority);

}  // namespace simt
