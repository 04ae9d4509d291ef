#include <atomic>
#include <chrono>

#include "common/simt/executor/executor.h"
#include "common/simt/include/cuda_standin/device_math.h"
#include "common/simt/include/cuda_standin/synchronization.h"

namespace simt {

long long clock_ticks() {
  return static_cast<long long>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void fence() {
  note_fence(WORKLOG_CODE_ADDRESS);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace simt
