/// \file
/// What a device would refuse to launch.
#pragma once

#include <cstddef>
#include <string>

#include "simt/executor/executor.h"

namespace simt {

/// The CUDA error code with which an H200 refuses a launch, 0 if it does not, and why.
struct Refusal {
  int error = 0;       ///< CUDA's code
  std::string reason;  ///< a sentence for people
};

/// `allowed_dynamic_shared` is what cudaFuncSetAttribute() lets this kernel have.
Refusal refusal_of(const LaunchConfig& config, std::size_t allowed_dynamic_shared);

}  // namespace simt
