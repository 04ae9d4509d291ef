/// \file
/// The launch that runs, as everything that takes part in it sees it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "simt/executor/address_span.h"
#include "simt/executor/executor.h"
#include "simt/executor/fibers/grid_index.h"
#include "simt/executor/host_range.h"

namespace simt {

struct GlobalRaces;
struct ThreadsInTurn;
class WorkerPool;

/// A launch that a thread of a running one has ordered.
struct OrderedLaunch {
  bool for_the_end;           ///< of its grid
  std::uint64_t block;        ///< who ordered it, within the grid
  unsigned thread;            ///< within the block
  std::function<void()> run;  ///< launches it
};

/// One launch, seen by all workers that take part.
struct Launch {
  const char* kernel;   ///< as the source of the launch spells it
  LaunchConfig config;  ///< its shape
  /// runs one thread
  void (*body)(void*);
  /// the same of one that runs plain: runs threads as long as there is a next
  void (*threads)(void*, ThreadsInTurn&);
  void* arguments;                ///< that both are given
  std::size_t most_shared_bytes;  ///< of a block, static and dynamic memory together
  int device;                     ///< that it runs on
  AddressSpan memory;             ///< of that device
  bool counting;                  ///< whether accesses are counted
  bool checking;                  ///< whether accesses are checked
  bool plain;                     ///< neither; it only notes which memory it has written
  unsigned threads_per_block;     ///< of each block
  /// A worker takes a cluster at a time: of one block where there are none, and all of a
  /// cooperative grid.
  ClusteredGrid grid;
  unsigned blocks_per_cluster;  ///< of that grid
  std::uint64_t blocks;         ///< of that grid
  /// What its arguments point to that a device does not reach.
  std::vector<HostRange> host_ranges = {};
  WorkerPool* pool = nullptr;    ///< that runs it
  GlobalRaces* races = nullptr;  ///< what is known of its accesses; null where none is looked for
  std::size_t trace_number = 0;  ///< of the launches that are traced, from 0
  std::atomic<std::uint64_t> next_cluster = 0;  ///< the first that no worker has taken
  std::atomic<int> error = 0;                   ///< not 0: give up, with this CUDA error code
  std::atomic<bool> out_of_time = false;        ///< whether the time limit has passed
  std::atomic<bool> is_told_late = false;       ///< whether a worker has reported that it has
  /// Whether a thread has waited for the kernel ahead of it in its stream.
  std::atomic<bool> has_waited_for_kernel_ahead = false;
  std::mutex ordering = {};                 ///< of what follows
  std::vector<OrderedLaunch> ordered = {};  ///< by its threads, as they came
};

/// Publishes the findings of a launch in the middle of which the program is ended, and tells
/// whoever observes launches of it as if it had ended. What its kernel has done is not known: its
/// counters are 0. May be called from any thread.
void tell_of_unended(const Launch& launch);

}  // namespace simt
