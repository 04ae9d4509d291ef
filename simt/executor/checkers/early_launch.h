/// \file
/// Kernels that a device may start before the one ahead of them in their stream has ended.
#pragma once

#include "simt/executor/fibers/running_launch.h"

namespace simt {

/// Reports an ended launch of such a kernel, if none of its threads has waited for the one ahead.
void check_early_launch(const Launch& launch);

}  // namespace simt
