/// \file
/// An OS thread that runs blocks, and what it is doing.
#pragma once

#include <array>
#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <memory>
#include <vector>

#include "simt/executor/checkers/crash.h"
#include "simt/executor/counters/tally.h"
#include "simt/executor/executor.h"
#include "simt/executor/fibers/block.h"
#include "simt/executor/fibers/fiber_stacks.h"
#include "simt/executor/launch/grid_index.h"
#include "simt/executor/log/control_flow.h"
#include "simt/executor/memory/shared_memory.h"

namespace simt {

/// One launch, seen by all workers that take part.
struct Launch {
  const char* kernel;   ///< as the source of the launch spells it
  LaunchConfig config;  ///< its shape
  /// runs one thread
  void (*body)(void*);
  void* arguments;             ///< that `body` is given
  bool counting;               ///< whether accesses are counted
  bool checking;               ///< whether accesses are checked
  unsigned threads_per_block;  ///< of each block
  /// A worker takes a cluster at a time: of one block where there are none, and all of a
  /// cooperative grid.
  ClusteredGrid grid;
  unsigned blocks_per_cluster;                  ///< of that grid
  std::uint64_t blocks;                         ///< of that grid
  std::atomic<std::uint64_t> next_cluster = 0;  ///< the first that no worker has taken
  std::atomic<int> error = 0;                   ///< not 0: give up, with this CUDA error code
  std::atomic<bool> out_of_time = false;        ///< whether the time limit has passed
};

/// The clock starts again between two clusters once it shows more ticks than this.
inline std::uint32_t clock_limit = std::uint32_t{1} << 31;

/// What one OS thread needs to run blocks.
struct Worker {
  Worker();

  Launch* launch = nullptr;  ///< that it takes part in, null between launches
  boost::context::detail::fcontext_t scheduler = nullptr;  ///< where the scheduler goes on
  FiberStacks stacks;                                      ///< of all lanes
  SharedMemory shared;                                     ///< of the running cluster
  std::vector<std::unique_ptr<Block>> blocks;              ///< those of the running cluster
  WarpLog log;                                             ///< of the running warp
  std::array<LaneLog, kWarpSize> logs;                     ///< of its lanes
  Tally tally;                                             ///< what it counted in this launch
  KnownControlFlows control_flows;                         ///< of warps before
  std::uint32_t clock = 1;  ///< ticks at every synchronization; orders accesses to shared memory
  std::uint32_t last_cluster_barrier = 0;  ///< the clock at the last barrier of the cluster
  LaneLog tripwire;  ///< in which a lane that is not counted is caught when the time is up
  std::atomic<int> ignored_signals = 0;  ///< that the time is up, which its lanes do not react to
  bool is_stopping = false;              ///< because the time is up
  Crash crash;                           ///< of the running lane, if it had one
  bool aborted = false;                  ///< the launch ended in the middle of a kernel

  /// Takes clusters of blocks from the launch until none are left or it fails.
  void take_part(Launch& in);

 private:
  void reset_logs();
  void restart_clock();
  void recover();
};

/// What this OS thread runs at the moment. All null in host code.
struct Current {
  Lane* lane;      ///< that runs
  LaneLog* log;    ///< null while nothing is counted
  bool checking;   ///< whether accesses are checked
  bool reporting;  ///< whether a finding is being described, on the lane's behalf
};
extern constinit thread_local Current current;  ///< of the calling OS thread

/// The worker that runs the lane's block.
inline Worker& worker_of(const Lane& lane) {
  return *lane.warp->block->worker;
}

}  // namespace simt
