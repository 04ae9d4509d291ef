/// \file
/// Where threads wait for each other: the scheduler's side.
#pragma once

#include <string>

#include "simt/executor/worker/worker.h"

namespace simt {

/// Who waits where, for messages: a line for each group of threads.
std::string describe_threads(const Block& block);

/// Completes the operations of a warp whose missing lanes have returned. (CUDA: all non-exited
/// threads in the mask.)
void complete_without_exited(Warp& warp);

/// When every thread of the block that has not returned waits at the same barrier, makes them ready
/// and returns true. Returns false when all have returned or wait for the cluster, or when some
/// wait at barriers in shared memory. Anything else ends the launch: a deadlock, or a barrier that
/// not all threads reach.
bool release_block_barrier(Block& block);

/// Lets the threads of these blocks go on that only try to pass a barrier in shared memory
/// (try_async_barrier()). Called when none of a cluster of `count` blocks can go on. Returns false
/// where there is no such thread, or where that has led to nothing for too often.
bool let_tries_fail(Worker& worker, unsigned count);

/// The same as release_block_barrier() for a cluster of `count` blocks, none of which can go on:
/// those who still wait at barriers in shared memory do so in vain.
bool release_cluster_barrier(Worker& worker, unsigned count);

}  // namespace simt
