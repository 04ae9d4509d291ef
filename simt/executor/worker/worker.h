/// \file
/// An OS thread that runs blocks, and what it is doing.
#pragma once

#include <array>
#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "simt/executor/counters/tally.h"
#include "simt/executor/fibers/block.h"
#include "simt/executor/fibers/current.h"
#include "simt/executor/fibers/fiber_stacks.h"
#include "simt/executor/fibers/running_launch.h"
#include "simt/executor/log/known_code.h"
#include "simt/executor/memory/racing_store.h"
#include "simt/executor/memory/shared_memory.h"

namespace simt {

/// A fault of a running lane, as its signal told; or that its time was up.
struct Crash {
  Lane* lane = nullptr;             ///< null when there was none
  int signal = 0;                   ///< its number, such as SIGSEGV
  std::uintptr_t address = 0;       ///< that was accessed
  std::uintptr_t code_address = 0;  ///< of the instruction
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
  std::vector<RacingStore> racing_stores;                  ///< to it, that nobody has judged yet
  std::vector<std::unique_ptr<Block>> blocks;              ///< those of the running cluster
  WarpLog log;                                             ///< of the running warp
  std::array<LaneLog, kWarpSize> logs;                     ///< of its lanes
  Tally tally;                                             ///< what it counted in this launch
  KnownCode code;                                          ///< of kernels whose lanes part
  std::uint32_t clock = 1;  ///< ticks at every synchronization; orders accesses to shared memory
  std::uint32_t last_cluster_barrier = 0;    ///< the clock at the last barrier of the cluster
  std::uint32_t cluster_barrier_before = 0;  ///< and at the one before that
  bool cluster_has_met = false;              ///< at a barrier, so that all its blocks have begun
  /// How often lanes went on from a barrier in shared memory in vain since one was last arrived at.
  unsigned vain_tries = 0;
  LaneLog tripwire;  ///< in which a lane that is not counted is caught when the time is up
  std::atomic<int> ignored_signals = 0;  ///< that the time is up, which its lanes do not react to
  std::atomic<const Lane*> late_lane = nullptr;  ///< that the last of these signals has met
  std::atomic<std::uintptr_t> late_at = 0;       ///< where in the code
  bool is_stopping = false;                      ///< because the time is up
  Crash crash;                                   ///< of the running lane, if it had one
  Crash late;            ///< the same of a lane that was stopped without hooks
  bool aborted = false;  ///< the launch ended in the middle of a kernel

  /// Makes the logs as new, also where a lane left one in the middle of a kernel.
  void reset_logs();
  /// Forgets the accesses to shared memory that the clock has ordered so far.
  void restart_clock();
};

/// The worker that runs the lane's block.
inline Worker& worker_of(const Lane& lane) {
  return *lane.warp->block->worker;
}

}  // namespace simt
