#include "simt/executor/checkers/shared_races.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "simt/executor/checkers/equal_stores.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/findings/reporting.h"
#include "simt/executor/worker/worker.h"

namespace simt {
namespace {

// A thread is ordered after whatever its block did before the last block barrier, whatever its own
// warp did before the last __syncwarp, and whatever its cluster did before the last cluster
// barrier. Times are of the worker's clock, which ticks at each of them. What a thread does after
// it has arrived at a cluster barrier, and before it waits there, is ordered by the next one.
// Objects in shared memory order single threads; of several accesses of a kind only the last is
// remembered with its thread, so the others count as ordered when anything after them is known.
struct Accessor {
  unsigned thread;
  unsigned block;    ///< within the cluster
  bool has_arrived;  ///< at a cluster barrier at which it will wait
  std::uint32_t last_cluster_barrier;
  std::uint32_t cluster_barrier_before;
  std::uint32_t last_barrier;
  std::uint32_t last_sync;
  std::uint32_t now;
  std::uint32_t code;
  const ThreadOrder* order;  ///< null where only barriers of all threads order them
};

Accessor accessor(const Lane& lane, const Block& owner, std::uintptr_t code_address) {
  const Block& block = *lane.warp->block;
  const Worker& worker = *block.worker;
  return {.thread = lane.thread,
          .block = block.rank,
          .has_arrived = lane.has_arrived,
          // What happened before the owner began was done to another block's memory.
          .last_cluster_barrier = std::max(worker.last_cluster_barrier, owner.start),
          .cluster_barrier_before = std::max(worker.cluster_barrier_before, owner.start),
          .last_barrier = block.last_barrier,
          .last_sync = lane.warp->last_sync,
          .now = worker.clock,
          .code = static_cast<std::uint32_t>(code_address),
          .order = block.synchronization != nullptr ? &block.synchronization->order : nullptr};
}

bool is_same_warp(const LastAccess& other, const Accessor& me) {
  return other.thread / kWarpSize == me.thread / kWarpSize;
}

bool is_ordered_by_clusters(const LastAccess& other, const Accessor& me) {
  return other.time < (other.after_arrival ? me.cluster_barrier_before : me.last_cluster_barrier);
}

bool races_with_last(const LastAccess& other, const Accessor& me) {
  if (other.block != me.block) return !is_ordered_by_clusters(other, me);
  if (other.time < me.last_barrier || other.thread == me.thread) return false;
  if (me.order != nullptr && other.time < me.order->known(me.thread, other.thread)) return false;
  return !is_same_warp(other, me) || other.time >= me.last_sync;
}

// Also with those that came before the last one.
bool races_with_any(const LastAccess& other, const Accessor& me) {
  if (races_with_last(other, me)) return true;
  if (other.others == LastAccess::kNone) return false;
  if (other.others == LastAccess::kBlocks) return !is_ordered_by_clusters(other, me);
  if (other.block != me.block || other.time < me.last_barrier) return false;
  if (me.order != nullptr && other.time < me.order->latest(me.thread)) return false;
  return other.others == LastAccess::kWarps ||
         (other.others == LastAccess::kLanes && other.time >= me.last_sync);
}

// Who made such accesses before, if this one is noted now.
LastAccess::Others others_before(const LastAccess& last, const Accessor& me) {
  const auto others = static_cast<LastAccess::Others>(last.others);
  if (is_ordered_by_clusters(last, me)) return LastAccess::kNone;
  if (others == LastAccess::kBlocks || last.block != me.block) return LastAccess::kBlocks;
  if (last.time < me.last_barrier) return LastAccess::kNone;
  if (me.order != nullptr && last.time < me.order->latest(me.thread)) return LastAccess::kNone;
  if (others == LastAccess::kWarps || !is_same_warp(last, me)) return LastAccess::kWarps;
  if (last.time < me.last_sync) return LastAccess::kNone;
  return others == LastAccess::kLanes || last.thread != me.thread ? LastAccess::kLanes
                                                                  : LastAccess::kNone;
}

void note(LastAccess& last, const Accessor& me, LastAccess::Others others) {
  last.time = me.now;
  last.code = me.code;
  last.thread = me.thread & 0x3ff;
  last.block = static_cast<std::uint16_t>(me.block);
  last.others = others;
  last.after_arrival = me.has_arrived;
}

enum class Kind : std::uint8_t { kLoad, kStore, kAtomic };

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kLoad:
      return "load";
    case Kind::kStore:
      return "store";
    default:
      return "atomic operation";
  }
}

// An access to one byte, most often one that is about to happen.
struct Attempt {
  const Lane& lane;
  const Block& owner;
  std::uintptr_t address;
  Kind kind;
  std::uintptr_t code_address;
  bool stores_value = false;  // so that it matters which
};

// `severity` is a note where both stored the same.
[[gnu::noinline]] void report_race(const Attempt& mine, const LastAccess& other, Kind other_kind,
                                   Severity severity = Severity::kError) {
  const Block& block = *mine.lane.warp->block;
  const Reporting reporting;
  const Worker& worker = *block.worker;
  const Block& other_block = *worker.blocks[other.block];
  const bool same_thread = &other_block == &block && other.thread == mine.lane.thread;
  const std::string barrier = &other_block == &block ? "barrier" : "cluster barrier";
  // The last to access it was the thread itself: others that did so before are those that race.
  const std::string mine_and_others = "thread " + std::to_string(mine.lane.thread) + " and others";
  const std::string both =
      "threads " + std::to_string(other.thread) + " and " + std::to_string(mine.lane.thread);
  // So a thread does not seem to race with itself.
  const std::string who =
      same_thread ? "other threads, before the same by thread " + std::to_string(other.thread)
                  : describe(worker.launch->config, {other_block.number, other.thread});
  const SharedMemory& shared = worker.shared;
  report_of(*worker.launch, {block.number, mine.lane.thread}, "shared-race",
            {{}, mine.code_address},
            std::string(name_of(mine.kind)) + " after " + name_of(other_kind) + ": " +
                (same_thread ? mine_and_others : both) + " have no " + barrier +
                " in between, at " + shared.describe(shared.offset_in_slot(mine.address)) +
                (severity == Severity::kNote ? kStoreTheSame : ""),
            {{{{}, code_address_near<32>(mine.code_address, other.code)},
              std::string("the ") + name_of(other_kind) + " by " + who}},
            severity);
}

[[gnu::noinline]] void report_unwritten(const Attempt& mine) {
  const Reporting reporting;
  const SharedMemory& shared = worker_of(mine.lane).shared;
  report("uninitialized-shared-read", {{}, mine.code_address},
         std::string(name_of(mine.kind)) + " of " +
             shared.describe(shared.offset_in_slot(mine.address)) +
             ", which its block has not written");
}

// By a store, or by an exchange: no other atomic operation is noted of a byte that was not.
bool is_written(const SharedByte& byte, const LastAccess* atomic, const Block& owner) {
  return byte.store.time >= owner.start || (atomic != nullptr && atomic->time >= owner.start);
}

enum class Verdict : std::uint8_t { kFine, kMistake, kDependsOnValue };

// Of an access to this byte now; reports a mistake.
Verdict judge(const SharedByte& byte, const LastAccess* atomic, const Accessor& me,
              const Attempt& mine) {
  const auto races_with = [&](const LastAccess& other, Kind kind) {
    report_race(mine, other, kind);
    return Verdict::kMistake;
  };
  if (races_with_any(byte.store, me)) {
    if (mine.stores_value) return Verdict::kDependsOnValue;
    return races_with(byte.store, Kind::kStore);
  }
  if (atomic != nullptr && races_with_any(*atomic, me)) return races_with(*atomic, Kind::kAtomic);
  if (mine.kind == Kind::kStore) {
    return races_with_any(byte.load, me) ? races_with(byte.load, Kind::kLoad) : Verdict::kFine;
  }
  if (is_written(byte, atomic, mine.owner)) return Verdict::kFine;
  report_unwritten(mine);
  return Verdict::kMistake;
}

// Notes an access to bytes of which all that is remembered is the same.
void note_alike(SharedByte* cells, unsigned bytes, const Accessor& me, Kind kind) {
  if (kind == Kind::kStore) {
    for (unsigned i = 0; i < bytes; ++i)
      note(cells[i].store, me, LastAccess::kNone);
  } else {
    const LastAccess::Others others = others_before(cells[0].load, me);
    for (unsigned i = 0; i < bytes; ++i)
      note(cells[i].load, me, others);
  }
}

// ---- stores that race with stores ----

// Takes it for the last store of these bytes, of which all that is remembered is the same.
[[gnu::noinline]] void judge_later(const Attempt& mine, const Accessor& me, SharedByte* cells,
                                   unsigned bytes, const LastAccess* atomic) {
  const Reporting reporting;
  const auto* const at = reinterpret_cast<const char*>(mine.address);
  RacingStore store = {.lane = &mine.lane,
                       .owner = &mine.owner,
                       .address = mine.address,
                       .code_address = mine.code_address,
                       .other = cells[0].store,
                       .before = {at, at + bytes}};
  if (atomic != nullptr && races_with_any(*atomic, me)) store.atomic = *atomic;
  if (races_with_any(cells[0].load, me)) store.load = cells[0].load;
  const LastAccess::Others others = others_before(cells[0].store, me);
  for (unsigned i = 0; i < bytes; ++i)
    note(cells[i].store, me, others);
  worker_of(mine.lane).racing_stores.push_back(std::move(store));
}

void judge_now(SharedMemory& shared, const RacingStore& store) {
  const Attempt mine = {*store.lane, *store.owner, store.address, Kind::kStore, store.code_address};
  const std::size_t bytes = store.before.size();
  const bool same =
      std::memcmp(reinterpret_cast<const void*>(store.address), store.before.data(), bytes) == 0;
  report_race(mine, store.other, Kind::kStore, same ? Severity::kNote : Severity::kError);
  if (same && store.atomic.time != 0) {
    report_race(mine, store.atomic, Kind::kAtomic);
  } else if (same && store.load.time != 0) {
    report_race(mine, store.load, Kind::kLoad);
  } else if (same) {
    return;
  }
  // What is a mistake is told once, and forgotten.
  SharedByte* const cells = shared.bytes_at(store.address);
  for (std::size_t i = 0; i < bytes; ++i)
    cells[i].store = store.other;
}

[[gnu::noinline]] void judge_racing_stores(Worker& worker) {
  const Reporting reporting;
  for (const RacingStore& store : std::exchange(worker.racing_stores, {}))
    judge_now(worker.shared, store);
}

// They have happened by now.
void judge_those_before(Worker& worker) {
  if (!worker.racing_stores.empty()) [[unlikely]]
    judge_racing_stores(worker);
}

// ---- all of a store or load ----

// Most accesses are to bytes that were always accessed together. False negatives, from bits that
// mean nothing, only cost time.
template <typename Remembered>
bool all_alike(const Remembered* of_bytes, unsigned bytes) {
  return std::memcmp(of_bytes, of_bytes + 1, (bytes - 1) * sizeof(Remembered)) == 0;
}

// Returns whether it is no mistake. All that is remembered of the bytes is the same.
[[gnu::always_inline]] inline bool check_alike(const Attempt& mine, const Accessor& me,
                                               SharedByte* cells, unsigned bytes,
                                               const LastAccess* atomic) {
  switch (judge(cells[0], atomic, me, mine)) {
    case Verdict::kMistake:
      return false;
    case Verdict::kDependsOnValue:
      judge_later(mine, me, cells, bytes, atomic);
      return true;
    default:
      note_alike(cells, bytes, me, mine.kind);
      return true;
  }
}

[[gnu::always_inline]] inline void check_bytes(Attempt mine, unsigned bytes) {
  const Accessor me = accessor(mine.lane, mine.owner, mine.code_address);
  SharedMemory& shared = worker_of(mine.lane).shared;
  SharedByte* const cells = shared.bytes_at(mine.address);
  const LastAccess* const atomics = shared.atomics_at(mine.address);
  if (all_alike(cells, bytes) && (atomics == nullptr || all_alike(atomics, bytes))) {
    check_alike(mine, me, cells, bytes, atomics);
    return;
  }
  for (unsigned i = 0; i < bytes; ++i, ++mine.address) {
    if (!check_alike(mine, me, cells + i, 1, atomics != nullptr ? atomics + i : nullptr)) return;
  }
}

}  // namespace

void check_shared_access(const Lane& lane, const Block& owner, std::uintptr_t address,
                         unsigned bytes, SharedAccess access, std::uintptr_t code_address) {
  judge_those_before(worker_of(lane));
  const Kind kind = access == SharedAccess::kLoad ? Kind::kLoad : Kind::kStore;
  check_bytes({lane, owner, address, kind, code_address, access == SharedAccess::kStore}, bytes);
}

void check_shared_object(const Lane& lane, const Block& owner, std::uintptr_t address,
                         std::size_t bytes, unsigned piece, std::uintptr_t code_address) {
  judge_those_before(worker_of(lane));
  for (std::uintptr_t at = address; at < address + bytes; at += piece)
    check_bytes({lane, owner, at, Kind::kStore, code_address, true}, piece);
}

void check_shared_atomic(const Lane& lane, const Block& owner, std::uintptr_t address,
                         unsigned bytes, bool overwrites, std::uintptr_t code_address) {
  judge_those_before(worker_of(lane));
  const Accessor me = accessor(lane, owner, code_address);
  SharedMemory& shared = worker_of(lane).shared;
  shared.use_atomics();
  SharedByte* const cells = shared.bytes_at(address);
  LastAccess* const atomics = shared.atomics_at(address);
  for (unsigned i = 0; i < bytes; ++i) {
    const Attempt mine = {lane, owner, address + i, Kind::kAtomic, code_address};
    const SharedByte& byte = cells[i];
    if (races_with_any(byte.store, me)) return report_race(mine, byte.store, Kind::kStore);
    if (races_with_any(byte.load, me)) return report_race(mine, byte.load, Kind::kLoad);
    if (!overwrites && !is_written(byte, &atomics[i], owner)) return report_unwritten(mine);
    note(atomics[i], me, others_before(atomics[i], me));
  }
}

void end_shared_races(Worker& worker) {
  judge_those_before(worker);
}

}  // namespace simt
