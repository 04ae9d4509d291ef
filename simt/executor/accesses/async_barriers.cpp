// Barriers in shared memory. Their state is kept here, not in their 8 bytes, so that a kernel which
// overwrites one, or never makes it, is told so.

#include "simt/executor/fibers/async_barriers.h"

#include <algorithm>
#include <bit>
#include <string>

#include "simt/executor/accesses/barrier_copies.h"
#include "simt/executor/checkers/shared_races.h"
#include "simt/executor/fibers/turns.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/worker/abandon.h"
#include "simt/executor/worker/switch.h"

namespace simt {
namespace {

constexpr unsigned kBarrierBytes = 8;
constexpr std::uint64_t kBeforeTheFirst = ~std::uint64_t{0};  // a phase that has always ended
constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;       // PTX ISA, mbarrier.init

BlockSynchronization& synchronization_of(Block& block) {
  if (block.synchronization == nullptr)
    block.synchronization = std::make_unique<BlockSynchronization>(block.threads);
  return *block.synchronization;
}

[[noreturn, gnu::noinline]] void refuse(Location where, const std::string& message) {
  report_and_end_launch("async-barrier", {where}, message, kErrorLaunchFailure);
}

[[noreturn, gnu::noinline]] void refuse_unmade(const void* barrier, Location where) {
  if (!is_shared_memory(barrier)) {
    refuse(where,
           "a barrier that does not lie in the block's shared memory: not available on the CPU "
           "executor");
  }
  refuse(where,
         "a barrier that no thread has initialized: one calls init(), then all meet at "
         "__syncthreads()");
}

// Ends the launch if the barrier was not made.
AsyncBarrier& find(void* barrier, Location where) {
  Block& block = *current.lane->warp->block;
  if (block.synchronization == nullptr) refuse_unmade(barrier, where);
  auto& barriers = block.synchronization->barriers;
  const auto found = barriers.find(reinterpret_cast<std::uintptr_t>(barrier));
  if (found == barriers.end()) refuse_unmade(barrier, where);
  return found->second;
}

// What the lane has done up to now, and what it knows of others.
void teach(const Lane& lane, ThreadTimes& times) {
  Warp& warp = *lane.warp;
  Block& block = *warp.block;
  block.synchronization->order.teach(lane.thread, times);
  for (std::uint32_t& time : times)
    time = std::max(time, block.last_barrier);
  const unsigned first = lane.thread - lane.number;
  for (unsigned number = 0; number < kWarpSize && first + number < block.threads; ++number)
    times[first + number] = std::max(times[first + number], warp.last_sync);
  times[lane.thread] = ++block.worker->clock;
}

void wake(Block& block, std::uintptr_t barrier) {
  for (Warp& warp : block.warps) {
    for (unsigned rest = warp.at_async_barrier; rest != 0; rest &= rest - 1) {
      const Lane& lane = warp.lanes[std::countr_zero(rest)];
      if (lane.awaited != barrier) continue;
      warp.at_async_barrier &= ~lane.bit();
      warp.ready |= lane.bit();
    }
  }
}

void end_phase(Block& block, AsyncBarrier& barrier, std::uintptr_t address) {
  // Of threads that have started copies for this phase, and left it to others to arrive.
  if (block.has_async_copies) {
    for (Lane& lane : block.lanes)
      let_copies_arrive(lane, address);
  }
  barrier.arrived = barrier.arriving;
  barrier.expected -= barrier.dropped;
  barrier.pending = barrier.expected;
  barrier.dropped = 0;
  ++barrier.completed;
  wake(block, address);
}

void come_after(Lane& lane, const AsyncBarrier& barrier, std::uintptr_t address) {
  lane.warp->block->synchronization->order.learn(lane.thread, barrier.arrived);
  forget_arrived_copies(lane, address);
}

// Waits for the phase that is under way.
void wait_in(Lane& lane, std::uintptr_t address, Location where) {
  end_turns(lane);
  lane.where = where;
  lane.awaited = address;
  lane.warp->at_async_barrier |= lane.bit();
  lane.warp->ready &= ~lane.bit();
  run_others(lane);
}

void check_phase(const AsyncBarrier& barrier, std::uint64_t phase, Location where) {
  if (phase == kBeforeTheFirst) return;
  if (phase + 1 < barrier.completed) {
    refuse(where,
           "a thread waits for a phase of the barrier that another has followed: those who "
           "arrived there did not wait for this thread");
  }
  if (phase <= barrier.completed) return;
  refuse(where,
         "a thread waits for a phase of the barrier that has not begun: the token is not "
         "this barrier's");
}

}  // namespace

void init_async_barrier(void* barrier, std::uint32_t expected, Location where) {
  const std::uintptr_t code_address = SIMT_CODE_ADDRESS;
  if (current.lane == nullptr) return;
  if (!is_shared_memory(barrier)) refuse_unmade(barrier, where);
  if (expected == 0 || expected > kMostArrivals) {
    refuse(where, "a barrier of " + std::to_string(expected) + " arrivals: it takes 1 to " +
                      std::to_string(kMostArrivals));
  }
  Block& block = *current.lane->warp->block;
  AsyncBarrier& made =
      synchronization_of(block).barriers[reinterpret_cast<std::uintptr_t>(barrier)];
  if (made.pending != made.expected) {
    refuse(where, "a barrier is initialized again while " +
                      std::to_string(made.expected - made.pending) + " of " +
                      std::to_string(made.expected) + " arrivals have come");
  }
  made = {};
  made.expected = made.pending = expected;
  made.where = where;
  if (current.checking) {
    check_shared_access(*current.lane, block, reinterpret_cast<std::uintptr_t>(barrier),
                        kBarrierBytes, SharedAccess::kMake, code_address);
  }
}

std::uint64_t arrive_at_async_barrier(void* pointer, AsyncArrival arrival, Location where) {
  const std::uintptr_t code_address = SIMT_CODE_ADDRESS;
  if (current.lane == nullptr) return 0;
  Lane& lane = *current.lane;
  Block& block = *lane.warp->block;
  AsyncBarrier& barrier = find(pointer, where);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (current.checking)
    check_shared_atomic(lane, block, address, kBarrierBytes, false, code_address);
  if (arrival.count == 0 || arrival.count > barrier.pending) {
    refuse(where, std::to_string(arrival.count) + " arrivals at a barrier that expects " +
                      std::to_string(barrier.pending) + " more in this phase, of " +
                      std::to_string(barrier.expected));
  }
  const std::uint64_t phase = barrier.completed;
  forget_arrived_copies(lane, address);  // of a phase before, which somebody else waited for
  let_copies_arrive(lane, address);
  teach(lane, barrier.arriving);
  barrier.dropped += arrival.drops;
  barrier.pending -= arrival.count;
  if (barrier.pending > 0) return phase;
  if (arrival.completion != nullptr) {
    block.synchronization->order.learn(lane.thread, barrier.arriving);
    arrival.completion(arrival.completion_of);
    teach(lane, barrier.arriving);
  }
  end_phase(block, barrier, address);
  return phase;
}

bool async_barrier_has_passed(void* pointer, std::uint64_t phase, Location where) {
  if (current.lane == nullptr) return true;
  const AsyncBarrier& barrier = find(pointer, where);
  check_phase(barrier, phase, where);
  if (phase == barrier.completed) return false;
  come_after(*current.lane, barrier, reinterpret_cast<std::uintptr_t>(pointer));
  return true;
}

void wait_for_async_barrier(void* pointer, std::uint64_t phase, Location where) {
  if (current.lane == nullptr) return;
  Lane& lane = *current.lane;
  const AsyncBarrier& barrier = find(pointer, where);
  check_phase(barrier, phase, where);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (phase == barrier.completed) wait_in(lane, address, where);
  come_after(lane, barrier, address);
}

std::uint64_t async_barrier_phase(void* pointer, bool parity, Location where) {
  if (current.lane == nullptr) return 0;
  const std::uint64_t completed = find(pointer, where).completed;
  return (completed & 1) == parity ? completed : completed - 1;
}

// ---- tiles of several warps ----

void tile_barrier(unsigned threads, Location where) {
  if (current.lane == nullptr) return;
  Lane& lane = *current.lane;
  Block& block = *lane.warp->block;
  const std::uintptr_t key = key_of_tile(lane.thread, threads);
  AsyncBarrier& barrier = synchronization_of(block).barriers[key];
  if (barrier.expected == 0) {
    const unsigned first = lane.thread / threads * threads;
    barrier.expected = barrier.pending = std::min(threads, block.threads - first);
  }
  teach(lane, barrier.arriving);
  if (--barrier.pending > 0) {
    wait_in(lane, key, where);
  } else {
    end_phase(block, barrier, key);
  }
  come_after(lane, barrier, key);
}

void show_in_tile(std::uint64_t value) {
  if (current.lane == nullptr) return;
  const Lane& lane = *current.lane;
  synchronization_of(*lane.warp->block).shown[lane.thread] = value;
}

std::uint64_t shown_in_tile(unsigned thread) {
  if (current.lane == nullptr) return 0;
  const std::vector<std::uint64_t>& shown = synchronization_of(*current.lane->warp->block).shown;
  return thread < shown.size() ? shown[thread] : 0;
}

// ---- atomic objects ----

void release_through(const void* object) {
  if (!is_shared_memory(object) || !current.checking) return;
  BlockSynchronization& known = synchronization_of(*current.lane->warp->block);
  teach(*current.lane, known.released[reinterpret_cast<std::uintptr_t>(object)]);
}

void acquire_through(const void* object) {
  if (!is_shared_memory(object) || !current.checking) return;
  BlockSynchronization& known = synchronization_of(*current.lane->warp->block);
  const auto released = known.released.find(reinterpret_cast<std::uintptr_t>(object));
  if (released != known.released.end()) known.order.learn(current.lane->thread, released->second);
}

}  // namespace simt
