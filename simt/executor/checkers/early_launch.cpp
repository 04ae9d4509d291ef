#include "simt/executor/checkers/early_launch.h"

#include <string>

#include "simt/executor/executor.h"
#include "simt/executor/fibers/current.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/worker/worker.h"

namespace simt {

void wait_for_kernel_ahead() {
  if (current.lane == nullptr) return;
  std::atomic<bool>& has_waited = worker_of(*current.lane).launch->has_waited_for_kernel_ahead;
  // Workers share it: only the first of their threads writes.
  if (!has_waited.load(std::memory_order_relaxed)) has_waited = true;
}

void check_early_launch(const Launch& launch) {
  // A launch that was ended early may have been on its way there.
  if (!launch.checking || launch.error != 0 || launch.has_waited_for_kernel_ahead) return;
  report("early-launch", {},
         std::string("kernel ") + launch.kernel +
             " is launched before the kernel ahead of it in its stream has ended, and never waits "
             "for it (cudaGridDependencySynchronize())");
}

}  // namespace simt
