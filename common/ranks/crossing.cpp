#include "common/ranks/crossing.h"

#include <cuda_runtime.h>  // the executor's says that it is that

#ifdef SIMT_EXECUTOR
#include "simt/nccl/link_counters.h"
#endif

namespace worklog {

#ifdef SIMT_EXECUTOR

bool counts_crossing() {
  return true;
}

Crossing crossing_of(int rank) {
  Crossing crossing;
  for (const simt::nccl::LinkCounters& counters : simt::nccl::link_counters()) {
    if (counters.rank != rank) continue;
    crossing.calls += static_cast<std::int64_t>(counters.calls);
    crossing.sent_bytes += static_cast<std::int64_t>(counters.sent_bytes);
  }
  return crossing;
}

#else

bool counts_crossing() {
  return false;
}

Crossing crossing_of(int) {
  return {};
}

#endif

}  // namespace worklog
