/// \file
/// How a call of the runtime API ends.
#pragma once

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/runtime_types.h"

namespace simt {

/// Returns `code` and, if it is an error, remembers it for cudaGetLastError().
inline cudaError_t result(int code) {
  if (code != cudaSuccess) set_error(code);
  return static_cast<cudaError_t>(code);
}

/// The error of a kernel that failed while it ran, which shows when somebody waits for it. Kernels
/// have ended when their launch returns, so nothing is waited for here.
inline cudaError_t kernel_failure() {
  const int error = peek_error();
  const bool of_peers =
      error == cudaErrorPeerAccessAlreadyEnabled || error == cudaErrorPeerAccessNotEnabled;
  const bool from_kernel =
      error >= cudaErrorIllegalAddress && error <= cudaErrorLaunchFailure && !of_peers;
  return static_cast<cudaError_t>(from_kernel ? error : cudaSuccess);
}

}  // namespace simt
