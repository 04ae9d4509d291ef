/// \file
/// The state of a running block: its warps and their lanes.
#pragma once

#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "simt/executor/executor.h"
#include "simt/executor/fibers/async_barriers.h"
#include "simt/executor/fibers/async_copies.h"
#include "simt/executor/fibers/fiber_stacks.h"
#include "simt/executor/index3.h"
#include "simt/executor/log/access_log.h"
#include "simt/executor/log/calls.h"
#include "simt/executor/log/known_code.h"

namespace simt {

constexpr unsigned kWarpSize = 32;      ///< lanes
constexpr unsigned kMaxThreads = 1024;  ///< of a block

struct Block;
class BlockRaces;
struct Warp;
struct Worker;

/// One CUDA thread. The fiber on its stack outlives the block: it runs the kernel's body, for this
/// thread and perhaps for others that have not begun, parks, and runs it again. What every switch
/// needs comes first and lies in one line of the cache.
struct alignas(64) Lane {
  boost::context::detail::fcontext_t context =
      nullptr;             ///< where to go on; null before the first start
  LaneLog* log = nullptr;  ///< one of its worker's
  Warp* warp = nullptr;    ///< that it belongs to
  Index3 index = {};       ///< threadIdx
  unsigned number = 0;     ///< within the warp
  Exchange exchange = {};  ///< that it waits for, while it waits

  Calls calls;               ///< that it is in
  Location where = {};       ///< where it waits
  std::uintptr_t stack = 0;  ///< its lowest address
  unsigned thread = 0;       ///< within the block, linear
  /// The stack frame of the scheduler's function that calls the kernel.
  std::uintptr_t outermost_frame = 0;
  /// That of active_lanes(), while it waits there.
  std::uintptr_t waiting_frame = 0;
  std::uint64_t waiting_since = 0;  ///< of its warp's `gathers`, when it came there
  AsyncCopies copies = {};          ///< that it has started and not waited for
  std::uintptr_t awaited = 0;       ///< the barrier in shared memory at which it waits
  bool tries = false;               ///< there, and goes on without it if nobody else can
  Location arrival = {};            ///< where it arrived at the barrier of the cluster
  bool has_arrived = false;         ///< there, and has not waited
  bool adds_a_constant = false;     ///< in its next atomic operation
  unsigned looks = 0;               ///< at what others may change, since waiting_loops.h last asked
  /// Ticks that its looks at the clock took since the warp's were last brought up to date.
  std::uint64_t clock_looks = 0;

  /// Its place in a mask of lanes.
  unsigned bit() const { return 1u << number; }
  /// Whether an address is one of its stack.
  bool has_on_stack(std::uintptr_t address) const {
    return address - stack < FiberStacks::kUsableBytes;
  }
};

/// Sets of lanes are bit masks. A lane that is alive is in exactly one of the sets below `alive`,
/// or is the running one.
struct Warp {
  Block* block = nullptr;     ///< that it belongs to
  Lane* lanes = nullptr;      ///< the first of its lanes, which lie side by side
  unsigned present = 0;       ///< lanes that exist: fewer than 32 in the last warp of some blocks
  unsigned alive = 0;         ///< lanes that have not returned
  unsigned ready = 0;         ///< can go on
  unsigned begun = 0;         ///< have entered the kernel
  unsigned in_operation = 0;  ///< wait at an operation of the warp
  unsigned at_barrier = 0;    ///< wait at the barrier of the block
  unsigned at_cluster_barrier = 0;   ///< wait at the barrier of the cluster or the grid
  unsigned at_async_barrier = 0;     ///< wait at a barrier in shared memory
  unsigned log_full = 0;             ///< wait until their logs have been replayed
  unsigned giving_way = 0;           ///< of log_full: loop until somebody else does something
  Event last_event = kMeetingPoint;  ///< the last one that was replayed and left the logs
  Whereabouts where;                 ///< of its lanes, as far as they were replayed together
  std::uint32_t last_sync = 0;       ///< the worker's clock at the last __syncwarp
  std::uint64_t gathers = 0;         ///< how often lanes came to active_lanes()
  std::uint64_t ticks = 0;           ///< of clock64() up to what its lanes' logs hold

  // Most often all lanes ask for the same: these tell without a look at each of them.
  Exchange first_exchange = {};  ///< of the first that came to wait
  unsigned alike = 0;            ///< lanes in an operation that ask for exactly that

  std::array<std::uint64_t, kWarpSize> values = {};   ///< that lanes bring to an operation
  std::array<std::uint64_t, kWarpSize> results = {};  ///< that they take away
};

/// Whether all of its lanes that can go on loop until somebody else does something.
inline bool waits_in_loop(const Warp& warp) {
  return warp.giving_way != 0;
}

/// One block of the grid while it runs.
struct Block {
  Worker* worker = nullptr;         ///< the OS thread that runs it
  Index3 shape = {};                ///< blockDim
  Index3 index = {};                ///< blockIdx
  std::uint64_t number = 0;         ///< within the grid, linear
  unsigned rank = 0;                ///< within the cluster
  unsigned threads = 0;             ///< that it began with
  unsigned live = 0;                ///< threads that have not returned
  unsigned arrived = 0;             ///< threads at the block barrier
  unsigned arrived_at_cluster = 0;  ///< threads at the barrier of the cluster or the grid
  Location barrier = {};            ///< where the first of them waits
  bool barrier_differs = false;     ///< whether some wait at another barrier than the first
  bool barrier_missed = false;      ///< whether threads returned before one, which was reported
  int predicates = 0;               ///< how many of them passed true
  int barrier_result = 0;           ///< what the barrier that was passed last returns
  std::uint32_t last_barrier = 0;   ///< the worker's clock at the last block barrier
  std::uint32_t start = 0;          ///< the worker's clock when the block began
  std::uint64_t race_key = 0;       ///< by which global_races knows its accesses
  /// What its threads did to global memory since its last barrier; null before the first block that
  /// is watched.
  std::shared_ptr<BlockRaces> races;
  unsigned fences = 0;            ///< how often it made its accesses visible to other blocks
  bool has_async_copies = false;  ///< its threads started some
  bool has_arrivals = false;      ///< its threads arrived at the cluster's barrier, to wait later
  bool has_looked_at_clock = false;  ///< its threads called clock64()
  /// Of a block with barriers or atomic objects in its shared memory; else null.
  std::unique_ptr<BlockSynchronization> synchronization;
  bool met = false;         ///< has seen what other blocks made visible
  std::vector<Lane> lanes;  ///< and one behind the last, for a look ahead (worker/switch.h)
  std::vector<Warp> warps;  ///< of its threads
};

}  // namespace simt
