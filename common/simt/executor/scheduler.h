/// \file
/// Which thread of a block runs, and who is next.
///
/// A lane that must wait switches straight to the next ready lane of its warp: a rendezvous costs
/// one switch a lane. Only when no lane of the warp is ready does control return to the scheduler,
/// on the worker's own stack, which replays the warp's log and goes on with the next warp.
#pragma once

#include <cstdint>

#include "common/simt/executor/worker.h"

namespace simt {

/// Runs `count` blocks from `first` on (linear in the grid), which form a cluster, until all their
/// threads have returned.
void run_cluster(Worker& worker, std::uint64_t first, unsigned count);

/// Called by a lane that is not ready: runs others until it is.
void run_others(Lane& self);

/// Called by a lane: ends the launch on this worker. The fibers of unfinished threads are
/// abandoned.
[[noreturn]] void abandon_launch(Lane& self);

}  // namespace simt
