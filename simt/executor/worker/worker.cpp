#include "simt/executor/worker/worker.h"

namespace simt {

Worker::Worker() {
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    logs[lane] = LaneLog(log, lane);
}

void Worker::reset_logs() {
  log.reset();
  for (LaneLog& of_lane : logs)
    of_lane.reset();
}

void Worker::restart_clock() {
  shared.forget_accesses();
  clock = 1;
  last_cluster_barrier = cluster_barrier_before = 0;
}

}  // namespace simt
