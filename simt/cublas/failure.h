/// \file
/// Why a call of cuBLAS's fails.
#pragma once

#include <string>

#include "simt/include/cublas_api.h"

namespace simt::cublas {

/// Thrown within the stand-in, and returned by the function of cuBLAS's that was called.
struct Failure {
  cublasStatus_t status;     ///< what it returns
  const char* kind = "";     ///< of the finding that it is; empty for none
  std::string finding = {};  ///< what that says, behind the function's name
};

/// An argument that cannot be, unless `holds`.
inline void require(bool holds) {
  if (!holds) throw Failure{CUBLAS_STATUS_INVALID_VALUE};
}

/// What the stand-in lacks.
inline Failure not_available(const std::string& what) {
  return {CUBLAS_STATUS_NOT_SUPPORTED, "not-available",
          what + ": not available on the CPU executor (cuBLAS)"};
}

}  // namespace simt::cublas
