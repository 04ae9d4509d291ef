#include "simt/executor/launch/take_part.h"

#include "simt/executor/checkers/crash.h"
#include "simt/executor/checkers/time_limit.h"
#include "simt/executor/launch/scheduler.h"
#include "simt/executor/memory/device_memory.h"
#include "simt/executor/writable_thread_index.h"

namespace simt {
namespace {

// The fibers of threads that did not return hang in the middle of the kernel: makes new ones.
void recover(Worker& worker) {
  if (worker.crash.lane != nullptr) report_crash(worker);
  if (worker.late.lane != nullptr) report_stopped_lane(worker);
  worker.blocks.clear();
  worker.reset_logs();
  worker.tripwire.reset();
  worker.is_stopping = false;
}

}  // namespace

void take_part(Worker& worker, Launch& launch) {
  const StackForCrashes stack_for_crashes;
  worker.ignored_signals = 0;
  worker.late_lane = nullptr;
  const InterruptibleWorker interruptible(worker, launch);
  worker.launch = &launch;
  worker.tally = Tally{};
  if (launch.counting) worker.code.begin_launch();
  worker.aborted = false;
  const Dim3& grid = launch.config.grid;
  const Dim3& block = launch.config.block;
  gridDim = {grid.x, grid.y, grid.z};
  blockDim = {block.x, block.y, block.z};
  worker.shared.begin_launch(launch.blocks_per_cluster, launch.config.dynamic_shared_bytes,
                             launch.most_shared_bytes);
  current.checking = launch.checking;
  current.plain = launch.plain;
  current.launch = &launch;
  current.memory = launch.memory;
  current.stored = launch.races == nullptr ? launch.memory : memory_of_large(launch.device);
  const std::uint64_t clusters = launch.blocks / launch.blocks_per_cluster;
  while (!worker.aborted && launch.error == 0) {
    const std::uint64_t cluster = launch.next_cluster.fetch_add(1);
    if (cluster >= clusters) break;
    if (worker.clock > clock_limit) worker.restart_clock();
    run_cluster(worker, cluster, launch.blocks_per_cluster);
  }
  if (worker.aborted) recover(worker);
  if (launch.error != 0) worker.reset_logs();  // some may have been made to seem full, to no use
  current = {};
}

}  // namespace simt
