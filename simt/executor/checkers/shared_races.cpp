#include "simt/executor/checkers/shared_races.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "simt/executor/checkers/equal_stores.h"
#include "simt/executor/checkers/usual_shared_access.h"
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
// remembered with its thread, so the others count as ordered when anything after them is known. Of
// another block, what one thread tells counts as told by all.
struct Accessor {
  const Block* owner;  ///< of the memory
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
  int barrier = -1;          ///< of an asynchronous store
};

Accessor accessor(const Lane& lane, const Block& owner, std::uintptr_t code_address) {
  const Block& block = *lane.warp->block;
  const Worker& worker = *block.worker;
  return {.owner = &owner,
          .thread = lane.thread,
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

enum class Kind : std::uint8_t { kLoad, kStore, kAtomic };

// What a thread of another block has told, by a barrier in shared memory. An asynchronous store
// tells what its thread has loaded alone.
std::uint32_t known_of_block(unsigned block, Kind kind, const Accessor& me) {
  if (me.order == nullptr || block >= SharedMemory::kMaxSlots) return 0;
  const std::uint32_t all = me.order->known(me.thread, me.order->of_block(block));
  if (kind != Kind::kLoad) return all;
  return std::max(all, me.order->known(me.thread, me.order->of_loads(block)));
}

// No barrier of all threads orders it, unless one of them has waited for it before.
[[gnu::noinline]] bool races_with_async(const LastAccess& store, const Accessor& me) {
  if (store.time < me.owner->start) return false;
  const ThreadOrder& order = me.owner->synchronization->order;
  const unsigned place = order.of_stores(store.thread);
  if (me.block == me.owner->rank) return store.time >= order.known(me.thread, place);
  if (store.time < known_of_block(me.owner->rank, Kind::kLoad, me)) return false;
  return !is_ordered_by_clusters(store, me) || store.time >= order.known(0, place);
}

bool races_with_last(const LastAccess& other, const Accessor& me, Kind kind) {
  if (other.is_async) [[unlikely]]
    return races_with_async(other, me);
  if (other.block != me.block) {
    return !is_ordered_by_clusters(other, me) &&
           other.time >= known_of_block(other.block, kind, me);
  }
  if (other.time < me.last_barrier || other.thread == me.thread) return false;
  if (me.order != nullptr && other.time < me.order->known(me.thread, other.thread)) return false;
  return !is_same_warp(other, me) || other.time >= me.last_sync;
}

// Also with those that came before the last one.
bool races_with_any(const LastAccess& other, const Accessor& me, Kind kind) {
  if (races_with_last(other, me, kind)) return true;
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
  last.thread = (me.barrier >= 0 ? static_cast<unsigned>(me.barrier) : me.thread) & 0x3ff;
  last.is_async = me.barrier >= 0;
  last.block = static_cast<std::uint16_t>(me.block);
  last.others = others;
  last.after_arrival = me.has_arrived;
}

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
  int barrier = -1;           // of an asynchronous store
};

std::string name_of(const Attempt& attempt) {
  return std::string(attempt.barrier >= 0 ? "asynchronous " : "") + name_of(attempt.kind);
}

[[gnu::noinline]] void report_not_awaited(const Attempt& mine, const LastAccess& store) {
  const Block& block = *mine.lane.warp->block;
  const Reporting reporting;
  const Worker& worker = *block.worker;
  const SharedMemory& shared = worker.shared;
  report_of(
      *worker.launch, {block.number, mine.lane.thread}, "shared-race", {{}, mine.code_address},
      name_of(mine) + " after asynchronous store: thread " + std::to_string(mine.lane.thread) +
          " has not waited for the barrier that the store counts for, at " +
          shared.describe(shared.offset_in_slot(mine.address)),
      {{{{}, code_address_near<32>(mine.code_address, store.code)},
        "the asynchronous store by block " + std::to_string(store.block) + " of the cluster"}});
}

// Whether all of the others that are known to race are lanes of the calling one's warp, which
// __syncwarp() orders, too.
bool is_within_warp(const Attempt& mine, const LastAccess& other) {
  return other.block == mine.lane.warp->block->rank &&
         other.thread / kWarpSize == mine.lane.thread / kWarpSize &&
         other.others <= LastAccess::kLanes;
}

// `severity` is a note where both stored the same.
[[gnu::noinline]] void report_race(const Attempt& mine, const LastAccess& other, Kind other_kind,
                                   Severity severity = Severity::kError) {
  if (other.is_async) return report_not_awaited(mine, other);
  const Block& block = *mine.lane.warp->block;
  const Reporting reporting;
  const Worker& worker = *block.worker;
  const Block& other_block = *worker.blocks[other.block];
  const bool same_thread = &other_block == &block && other.thread == mine.lane.thread;
  const std::string barrier = is_within_warp(mine, other) ? "__syncwarp() or barrier"
                              : &other_block == &block    ? "barrier"
                                                          : "cluster barrier";
  // The last to access it was the thread itself: others that did so before are those that race.
  const std::string mine_and_others = "thread " + std::to_string(mine.lane.thread) + " and others" +
                                      (is_within_warp(mine, other) ? " of its warp" : "");
  const std::string both =
      "threads " + std::to_string(other.thread) + " and " + std::to_string(mine.lane.thread);
  // So a thread does not seem to race with itself.
  const std::string who = same_thread
                              ? "other threads; thread " + std::to_string(other.thread) +
                                    " made the same one, after them"
                              : describe(worker.launch->config, {other_block.number, other.thread});
  const SharedMemory& shared = worker.shared;
  report_of(*worker.launch, {block.number, mine.lane.thread}, "shared-race",
            {{}, mine.code_address},
            name_of(mine) + " after " + name_of(other_kind) + ": " +
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
  if (races_with_any(byte.store, me, Kind::kStore)) {
    if (mine.stores_value && !byte.store.is_async) return Verdict::kDependsOnValue;
    return races_with(byte.store, Kind::kStore);
  }
  if (atomic != nullptr && races_with_any(*atomic, me, Kind::kAtomic)) {
    return races_with(*atomic, Kind::kAtomic);
  }
  if (mine.kind == Kind::kStore) {
    return races_with_any(byte.load, me, Kind::kLoad) ? races_with(byte.load, Kind::kLoad)
                                                      : Verdict::kFine;
  }
  if (is_written(byte, atomic, mine.owner)) return Verdict::kFine;
  report_unwritten(mine);
  return Verdict::kMistake;
}

// Bytes, or words, of which all that is remembered is the same.
struct Cells {
  SharedByte* of;
  unsigned count;
  unsigned bytes;  // that the access has

  const SharedByte& known() const { return *of; }
  void note(LastAccess SharedByte::*kind, const Accessor& me, LastAccess::Others others) const {
    for (unsigned i = 0; i < count; ++i)
      simt::note(of[i].*kind, me, others);
  }
};

void note_alike(const Cells& cells, const Accessor& me, Kind kind) {
  if (kind == Kind::kStore) {
    cells.note(&SharedByte::store, me, LastAccess::kNone);
  } else {
    cells.note(&SharedByte::load, me, others_before(cells.known().load, me));
  }
}

// ---- stores that race with stores ----

// Takes it for the last store of these bytes.
[[gnu::noinline]] void judge_later(const Attempt& mine, const Accessor& me, const Cells& cells,
                                   const LastAccess* atomic) {
  const Reporting reporting;
  const auto* const at = reinterpret_cast<const char*>(mine.address);
  RacingStore store = {.lane = &mine.lane,
                       .owner = &mine.owner,
                       .address = mine.address,
                       .code_address = mine.code_address,
                       .other = cells.known().store,
                       .before = {at, at + cells.bytes}};
  if (atomic != nullptr && races_with_any(*atomic, me, Kind::kAtomic)) store.atomic = *atomic;
  if (races_with_any(cells.known().load, me, Kind::kLoad)) store.load = cells.known().load;
  cells.note(&SharedByte::store, me, others_before(cells.known().store, me));
  worker_of(mine.lane).racing_stores.push_back(std::move(store));
  end_usual_shared();
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
  for (std::uintptr_t at = store.address; at < store.address + bytes; ++at) {
    shared.take_apart(at);
    shared.bytes_at(at)->store = store.other;
  }
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

// Most accesses are to what was always accessed together. False negatives, from bits that mean
// nothing, only cost time.
template <typename Remembered>
bool all_alike(const Remembered* all, unsigned count) {
  return count == 1 || std::memcmp(all, all + 1, (count - 1) * sizeof(Remembered)) == 0;
}

// Returns whether it is no mistake.
[[gnu::always_inline]] inline bool check_alike(const Attempt& mine, const Accessor& me,
                                               const Cells& cells, const LastAccess* atomic) {
  switch (judge(cells.known(), atomic, me, mine)) {
    case Verdict::kMistake:
      return false;
    case Verdict::kDependsOnValue:
      judge_later(mine, me, cells, atomic);
      return true;
    default:
      note_alike(cells, me, mine.kind);
      return true;
  }
}

constexpr unsigned kWordBytes = SharedMemory::kWordBytes;

// The usual case, which takes a comparison less for each byte: whole words that are known as such.
bool are_words(const SharedMemory& shared, std::uintptr_t address, unsigned bytes) {
  if (bytes < kWordBytes || shared.is_apart(address)) return false;
  for (unsigned i = kWordBytes; i < bytes; i += kWordBytes) {
    if (shared.is_apart(address + i)) return false;
  }
  return true;
}

// Bytes of one word, which are about to be known by themselves if they are not all of it.
bool check_in_word(Attempt mine, const Accessor& me, SharedMemory& shared, unsigned bytes) {
  const LastAccess* const atomics = shared.atomics_at(mine.address);
  const bool atomics_alike = atomics == nullptr || all_alike(atomics, bytes);
  if (atomics_alike && are_words(shared, mine.address, bytes)) {
    return check_alike(mine, me, {shared.words_at(mine.address), 1, bytes}, atomics);
  }
  shared.take_apart(mine.address);
  SharedByte* const cells = shared.bytes_at(mine.address);
  if (atomics_alike && all_alike(cells, bytes)) {
    const bool is_fine = check_alike(mine, me, {cells, bytes, bytes}, atomics);
    if (bytes == kWordBytes) shared.put_together(mine.address);
    return is_fine;
  }
  for (unsigned i = 0; i < bytes; ++i, ++mine.address) {
    const LastAccess* const atomic = atomics != nullptr ? atomics + i : nullptr;
    if (!check_alike(mine, me, {cells + i, 1, 1}, atomic)) return false;
  }
  return true;
}

[[gnu::noinline]] void check_word_by_word(Attempt mine, const Accessor& me, SharedMemory& shared,
                                          unsigned bytes) {
  const unsigned step = std::min(bytes, kWordBytes);
  for (unsigned i = 0; i < bytes; i += step, mine.address += step) {
    if (!check_in_word(mine, me, shared, step)) return;
  }
}

[[gnu::noinline]] void check_bytes(const Attempt& mine, unsigned bytes) {
  Accessor me = accessor(mine.lane, mine.owner, mine.code_address);
  me.barrier = mine.barrier;
  SharedMemory& shared = worker_of(mine.lane).shared;
  const LastAccess* const atomics = shared.atomics_at(mine.address);
  const Cells words = {shared.words_at(mine.address), bytes / kWordBytes, bytes};
  if (are_words(shared, mine.address, bytes) && all_alike(words.of, words.count) &&
      (atomics == nullptr || all_alike(atomics, bytes))) {
    check_alike(mine, me, words, atomics);
  } else {
    check_word_by_word(mine, me, shared, bytes);
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

void check_shared_async_store(const Lane& lane, const Block& owner, std::uintptr_t address,
                              unsigned bytes, unsigned barrier, std::uintptr_t code_address) {
  judge_those_before(worker_of(lane));
  check_bytes({.lane = lane,
               .owner = owner,
               .address = address,
               .kind = Kind::kStore,
               .code_address = code_address,
               .barrier = static_cast<int>(barrier)},
              bytes);
}

void check_shared_atomic(const Lane& lane, const Block& owner, std::uintptr_t address,
                         unsigned bytes, bool overwrites, std::uintptr_t code_address) {
  judge_those_before(worker_of(lane));
  const Accessor me = accessor(lane, owner, code_address);
  SharedMemory& shared = worker_of(lane).shared;
  shared.use_atomics();
  end_usual_shared();
  LastAccess* const atomics = shared.atomics_at(address);
  for (unsigned i = 0; i < bytes; ++i) {
    const Attempt mine = {lane, owner, address + i, Kind::kAtomic, code_address};
    const SharedByte& byte = shared.known_of(address + i);
    if (races_with_any(byte.store, me, Kind::kStore))
      return report_race(mine, byte.store, Kind::kStore);
    if (races_with_any(byte.load, me, Kind::kLoad))
      return report_race(mine, byte.load, Kind::kLoad);
    if (!overwrites && !is_written(byte, &atomics[i], owner)) return report_unwritten(mine);
    note(atomics[i], me, others_before(atomics[i], me));
  }
}

void end_shared_races(Worker& worker) {
  judge_those_before(worker);
}

}  // namespace simt
