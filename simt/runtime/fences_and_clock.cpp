#include <atomic>
#include <ctime>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/device_math.h"
#include "simt/include/cuda_standin/synchronization.h"

namespace simt {

long long clock_ticks() {
  return static_cast<long long>(device_ticks());
}

void fence() {
  note_fence(SIMT_CODE_ADDRESS);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace simt

/// In place of the C library's, which device code calls by the same name: there it counts ticks.
extern "C" std::clock_t clock() noexcept {
  if (simt::in_kernel()) return static_cast<std::clock_t>(simt::clock_ticks());
  std::timespec used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return std::clock_t{-1};
  return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}
