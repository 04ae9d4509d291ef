/// \file
/// __trap(): a kernel gives up.
#pragma once

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/qualifiers.h"

namespace simt {
/// Ends the launch with CUDA's error 719 and a finding.
[[noreturn]] void trap(Location where);
}  // namespace simt

SIMT_INLINE void __trap(simt::Location where = simt::Location::current()) {
  simt::trap(where);
}
