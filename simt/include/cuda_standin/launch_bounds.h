/// \file
/// What the source translator makes of `__launch_bounds__`.
#pragma once

#include "simt/executor/executor.h"

namespace simt {

/// Ends the launch, as a device would have refused it, if a block has more than `max_threads`. The
/// other bounds concern registers, which the executor does not have. Not inline: compared in the
/// kernel, `blockDim` becomes a fact that changes how g++ arranges the code behind, and with it
/// which lanes load together.
void check_launch_bounds(long long max_threads, long long min_blocks = 0, long long max_blocks = 0,
                         Location where = Location::current());

}  // namespace simt
