// Barriers in shared memory. Their state is kept here, not in their 8 bytes, so that a kernel which
// overwrites one, or never makes it, is told so. What asynchronous stores bring waits here, too,
// until the phase ends: a thread that does not wait finds what was there before.

#include "simt/executor/fibers/async_barriers.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>

#include "simt/executor/accesses/barrier_copies.h"
#include "simt/executor/accesses/memory_access.h"
#include "simt/executor/accesses/waiting_loops.h"
#include "simt/executor/checkers/shared_races.h"
#include "simt/executor/fibers/turns.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/worker/abandon.h"
#include "simt/executor/worker/switch.h"

namespace simt {
namespace {

static_assert(ThreadOrder::kBlocks == SharedMemory::kMaxSlots, "it has a place for each block");

constexpr unsigned kBarrierBytes = 8;
constexpr std::uint64_t kBeforeTheFirst = ~std::uint64_t{0};  // a phase that has always ended
constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;       // PTX ISA, mbarrier.init
constexpr std::int64_t kMostBytes = (1 << 20) - 1;            // the same, of a phase's transactions
constexpr unsigned kMostNumbers = 1024;                       // that LastAccess can tell apart

BlockSynchronization& synchronization_of(Block& block) {
  if (block.synchronization == nullptr) {
    block.synchronization = std::make_unique<BlockSynchronization>(block.threads);
    end_usual_shared();
  }
  return *block.synchronization;
}

[[noreturn, gnu::noinline]] void refuse(Location where, const std::string& message) {
  report_and_end_launch("async-barrier", {where}, message, kErrorLaunchFailure);
}

// The block whose shared memory it lies in; null for none of the cluster's.
Block* owner_of(const void* barrier) {
  Worker& worker = worker_of(*current.lane);
  const auto address = reinterpret_cast<std::uintptr_t>(barrier);
  if (!worker.shared.contains(address)) return nullptr;
  return worker.blocks[worker.shared.slot_of(address)].get();
}

[[noreturn, gnu::noinline]] void refuse_unmade(const void* barrier, BarrierPlace place,
                                               Location where) {
  const Block* const owner = owner_of(barrier);
  if (owner == nullptr) {
    refuse(where,
           "a barrier that does not lie in the block's shared memory: not available on the CPU "
           "executor");
  }
  if (owner != current.lane->warp->block) {
    if (place == BarrierPlace::kBlock) {
      refuse(where,
             "a barrier of another block of the cluster: only arrivals there (space_cluster) and "
             "asynchronous stores may name one");
    }
    refuse(where, "a barrier of block " + std::to_string(owner->rank) +
                      " of the cluster that no thread has initialized: one of that block calls "
                      "mbarrier_init(), then all meet at a cluster barrier");
  }
  refuse(where,
         "a barrier that no thread has initialized: one calls init(), then all meet at "
         "__syncthreads()");
}

// Ends the launch if the barrier was not made there.
AsyncBarrier& find(void* barrier, BarrierPlace place, Location where) {
  const Block* const owner = owner_of(barrier);
  if (owner == nullptr || owner->synchronization == nullptr) refuse_unmade(barrier, place, where);
  const bool may_be_there = owner == current.lane->warp->block || place == BarrierPlace::kCluster;
  if (!may_be_there) refuse_unmade(barrier, place, where);
  auto& barriers = owner->synchronization->barriers;
  const auto found = barriers.find(reinterpret_cast<std::uintptr_t>(barrier));
  if (found == barriers.end()) refuse_unmade(barrier, place, where);
  return found->second;
}
AsyncBarrier& find(void* barrier, Location where) {
  return find(barrier, BarrierPlace::kBlock, where);
}

// What the lane has done up to now, and what it knows of others.
void teach(const Lane& lane, ThreadTimes& times) {
  Warp& warp = *lane.warp;
  Block& block = *warp.block;
  block.synchronization->order.teach(lane.thread, times);
  for (unsigned thread = 0; thread < block.threads; ++thread)
    times[thread] = std::max(times[thread], block.last_barrier);
  const unsigned first = lane.thread - lane.number;
  for (unsigned number = 0; number < kWarpSize && first + number < block.threads; ++number)
    times[first + number] = std::max(times[first + number], warp.last_sync);
  times[lane.thread] = ++block.worker->clock;
}

void tell(ThreadTimes& times, unsigned place, std::uint32_t time) {
  if (times.size() <= place) times.resize(place + 1);
  times[place] = std::max(times[place], time);
}

// The same to threads of another block, for which this one counts as a whole.
void teach_elsewhere(const Lane& lane, const Block& owner, ThreadTimes& times) {
  Block& block = *lane.warp->block;
  const ThreadOrder& mine = synchronization_of(block).order;
  const ThreadOrder& there = owner.synchronization->order;
  for (unsigned rank = 0; rank < SharedMemory::kMaxSlots; ++rank) {
    const std::uint32_t all = mine.known(lane.thread, mine.of_block(rank));
    tell(times, there.of_block(rank), all);
    tell(times, there.of_loads(rank), mine.known(lane.thread, mine.of_loads(rank)));
    for (unsigned thread = 0; rank == owner.rank && thread < owner.threads; ++thread)
      tell(times, thread, all);
  }
  tell(times, there.of_block(block.rank), ++block.worker->clock);
}

// What the lane has loaded up to now comes before what others do who have waited for what it sends.
// What it has stored does not: asynchronous stores overtake others.
void teach_loads(const Lane& lane, const Block& owner, ThreadTimes& times) {
  Block& block = *lane.warp->block;
  if (&block == &owner) return;
  const ThreadOrder& mine = synchronization_of(block).order;
  const ThreadOrder& there = owner.synchronization->order;
  for (unsigned rank = 0; rank < SharedMemory::kMaxSlots; ++rank) {
    tell(times, there.of_loads(rank),
         std::max(mine.known(lane.thread, mine.of_block(rank)),
                  mine.known(lane.thread, mine.of_loads(rank))));
  }
  tell(times, there.of_loads(block.rank), ++block.worker->clock);
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

void let_stores_arrive(Block& block, AsyncBarrier& barrier) {
  const std::uint32_t time = ++block.worker->clock;
  for (const AsyncStore& store : barrier.stores) {
    std::memcpy(reinterpret_cast<void*>(store.to), store.content.data(), store.bytes);
    if (store.sender != block.rank) barrier.last_arrived = {store.sender, store.where, time};
  }
  barrier.stores.clear();
  tell(barrier.arriving, block.synchronization->order.of_stores(barrier.number), time);
}

void end_phase(Block& block, AsyncBarrier& barrier, std::uintptr_t address) {
  if (!barrier.stores.empty()) let_stores_arrive(block, barrier);
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

bool is_complete(const AsyncBarrier& barrier) {
  return barrier.pending == 0 && barrier.missing_bytes == 0;
}

// A phase shall expect some more bytes, or, below 0, some have come.
void add_bytes(AsyncBarrier& barrier, std::int64_t bytes, Location where) {
  barrier.missing_bytes += bytes;
  const std::int64_t most = std::max(std::abs(barrier.missing_bytes), std::abs(bytes));
  if (most <= kMostBytes) return;
  refuse(where, "a phase of a barrier that " +
                    std::string(bytes < 0 ? "is sent " : "shall wait for ") + std::to_string(most) +
                    " bytes" + (bytes < 0 ? " more than it expects" : "") + ": it takes up to " +
                    std::to_string(kMostBytes));
}

// An arrival, or bytes, at a barrier that must have been made before.
void note_use(const Lane& lane, const Block& owner, std::uintptr_t barrier,
              std::uintptr_t code_address) {
  Worker& worker = worker_of(lane);
  worker.vain_tries = 0;
  if (!current.checking) return;
  check_shared_atomic(lane, owner, barrier, kBarrierBytes, false, code_address);
  if (&owner != lane.warp->block && (!worker.cluster_has_met || owner.live == 0))
    check_block_is_there(worker, owner.rank, "arrival at a barrier", code_address);
}

void come_after(Lane& lane, const AsyncBarrier& barrier, std::uintptr_t address) {
  lane.warp->block->synchronization->order.learn(lane.thread, barrier.arrived);
  forget_arrived_copies(lane, address);
}

// Waits for the phase that is under way; if it tries alone, perhaps in vain.
void wait_in(Lane& lane, std::uintptr_t address, bool tries, Location where) {
  end_turns(lane);
  lane.where = where;
  lane.awaited = address;
  lane.tries = tries;
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
  if (!is_shared_memory(barrier)) refuse_unmade(barrier, BarrierPlace::kBlock, where);
  if (reinterpret_cast<std::uintptr_t>(barrier) % kBarrierBytes != 0)
    refuse_misaligned("operation on a barrier", reinterpret_cast<std::uintptr_t>(barrier),
                      kBarrierBytes, {where});
  if (expected == 0 || expected > kMostArrivals) {
    refuse(where, "a barrier of " + std::to_string(expected) + " arrivals: it takes 1 to " +
                      std::to_string(kMostArrivals));
  }
  Block& block = *current.lane->warp->block;
  auto& barriers = synchronization_of(block).barriers;
  const auto [found, is_new] = barriers.try_emplace(reinterpret_cast<std::uintptr_t>(barrier));
  AsyncBarrier& made = found->second;
  const auto number = static_cast<unsigned>(is_new ? barriers.size() - 1 : made.number);
  if (made.pending != made.expected) {
    refuse(where, "a barrier is initialized again while " +
                      std::to_string(made.expected - made.pending) + " of " +
                      std::to_string(made.expected) + " arrivals have come");
  }
  if (made.missing_bytes != 0) {
    refuse(where, "a barrier is initialized again while its phase lacks " +
                      std::to_string(made.missing_bytes) + " bytes");
  }
  made = {};
  made.number = number % kMostNumbers;
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
  AsyncBarrier& barrier = find(pointer, arrival.place, where);
  Block& owner = *owner_of(pointer);
  const bool is_own = &owner == lane.warp->block;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  note_use(lane, owner, address, code_address);
  if (arrival.count == 0 || arrival.count > barrier.pending) {
    refuse(where, std::to_string(arrival.count) + " arrivals at a barrier that expects " +
                      std::to_string(barrier.pending) + " more in this phase, of " +
                      std::to_string(barrier.expected));
  }
  add_bytes(barrier, arrival.bytes, where);
  const std::uint64_t phase = barrier.completed;
  forget_arrived_copies(lane, address);  // of a phase before, which somebody else waited for
  let_copies_arrive(lane, address);
  if (is_own) {
    teach(lane, barrier.arriving);
  } else {
    teach_elsewhere(lane, owner, barrier.arriving);
  }
  barrier.dropped += arrival.drops;
  barrier.pending -= arrival.count;
  if (!is_complete(barrier)) return phase;
  if (arrival.completion != nullptr) {
    owner.synchronization->order.learn(lane.thread, barrier.arriving);
    arrival.completion(arrival.completion_of);
    teach(lane, barrier.arriving);
  }
  end_phase(owner, barrier, address);
  return phase;
}

void expect_bytes(void* pointer, std::uint32_t bytes, BarrierPlace place, Location where) {
  const std::uintptr_t code_address = SIMT_CODE_ADDRESS;
  if (current.lane == nullptr) return;
  AsyncBarrier& barrier = find(pointer, place, where);
  Block& owner = *owner_of(pointer);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  note_use(*current.lane, owner, address, code_address);
  add_bytes(barrier, bytes, where);
  if (is_complete(barrier)) end_phase(owner, barrier, address);
}

void store_async(void* to, const void* value, std::size_t bytes, void* pointer, Location where) {
  const std::uintptr_t code_address = SIMT_CODE_ADDRESS;
  if (current.lane == nullptr) return;
  const Lane& lane = *current.lane;
  const auto size = static_cast<unsigned>(bytes);
  AsyncStore store = {.to = reinterpret_cast<std::uintptr_t>(to),
                      .bytes = size,
                      .sender = lane.warp->block->rank,
                      .where = where};
  if (store.to % bytes != 0) refuse_misaligned("asynchronous store", store.to, size, {where});
  std::memcpy(store.content.data(), value, bytes);
  AsyncBarrier& barrier = find(pointer, BarrierPlace::kCluster, where);
  Block& owner = *owner_of(pointer);
  if (owner_of(to) != &owner) {
    refuse(where,
           "an asynchronous store (st.async) to what does not lie in the shared memory of "
           "its barrier's block");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  note_async_store(store.to, size, barrier.number, code_address);
  note_use(lane, owner, address, code_address);
  teach_loads(lane, owner, barrier.arriving);
  barrier.stores.push_back(store);
  add_bytes(barrier, -static_cast<std::int64_t>(bytes), where);
  if (is_complete(barrier)) end_phase(owner, barrier, address);
}

bool async_barrier_has_passed(void* pointer, std::uint64_t phase, Location where) {
  if (current.lane == nullptr) return true;
  const AsyncBarrier& barrier = find(pointer, where);
  check_phase(barrier, phase, where);
  if (phase == barrier.completed) {
    note_look_in_vain();
    return false;
  }
  come_after(*current.lane, barrier, reinterpret_cast<std::uintptr_t>(pointer));
  return true;
}

void wait_for_async_barrier(void* pointer, std::uint64_t phase, Location where) {
  if (current.lane == nullptr) return;
  Lane& lane = *current.lane;
  const AsyncBarrier& barrier = find(pointer, where);
  check_phase(barrier, phase, where);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (phase == barrier.completed) wait_in(lane, address, false, where);
  come_after(lane, barrier, address);
}

bool try_async_barrier(void* pointer, std::uint64_t phase, Location where) {
  if (current.lane == nullptr) return true;
  Lane& lane = *current.lane;
  const AsyncBarrier& barrier = find(pointer, where);
  check_phase(barrier, phase, where);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (phase == barrier.completed) wait_in(lane, address, true, where);
  if (phase == barrier.completed) return false;
  come_after(lane, barrier, address);
  return true;
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
    wait_in(lane, key, false, where);
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
