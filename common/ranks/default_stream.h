/// \file
/// Which kernels run in another stream than their rank's, where it is seen: on the CPU executor.
#pragma once

#include <cstdint>

namespace worklog {

/// Kernels that this process has launched into the default stream since the first call of this; 0
/// where nobody sees it. A rank has a stream of its own, and what runs in another one does not wait
/// for NCCL's calls there.
std::int64_t launches_in_default_stream();

}  // namespace worklog
