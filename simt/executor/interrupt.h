/// \file
/// For hosts whose user may want a kernel to stop.
#pragma once

namespace simt {

/// While it is on, a launch ends with CUDA's error 702 as soon as its threads come by: the one that
/// runs, and those that begin. That is no finding. May be called from any thread.
void interrupt_launches(bool on);

}  // namespace simt
