/// \file
/// Launches that kernels order (dynamic parallelism). They run when the grid that orders them has
/// ended, one after the other, each with all that it orders itself.
#pragma once

#include <functional>

namespace simt {

/// Called by a kernel: `launch` is called by the host thread that launched its grid. Those of a
/// grid come by block and thread, and those that are for its end behind all others. A grid that
/// fails launches nothing.
void order_launch(std::function<void()> launch, bool for_the_end);

}  // namespace simt
