/// \file
/// Why a call of cuRAND's fails.
#pragma once

#include <string>

#include "simt/include/curand.h"

namespace simt::curand_host {

/// Thrown within the stand-in, and returned by the function of cuRAND's that was called.
struct Failure {
  curandStatus_t status;     ///< what it returns
  const char* kind = "";     ///< of the finding that it is; empty for none
  std::string finding = {};  ///< what that says, behind the function's name
};

/// What the stand-in lacks.
inline Failure not_available(curandStatus_t status, const std::string& what) {
  return {status, "not-available", what + ": not available on the CPU executor (cuRAND)"};
}

}  // namespace simt::curand_host
