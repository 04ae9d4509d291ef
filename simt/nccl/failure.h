/// \file
/// Why a call of NCCL's fails.
#pragma once

#include <string>

#include "simt/include/nccl.h"

namespace simt::nccl {

/// Thrown within the stand-in, and returned by the function of NCCL's that was called.
struct Failure {
  ncclResult_t result;  ///< what it returns
  std::string text;     ///< what ncclGetLastError() says; without a place
};

}  // namespace simt::nccl
