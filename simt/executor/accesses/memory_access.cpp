#include "simt/executor/accesses/memory_access.h"

#include <algorithm>
#include <string>

#include "simt/executor/accesses/waiting_loops.h"
#include "simt/executor/checkers/shared_races.h"
#include "simt/executor/checkers/time_limit.h"
#include "simt/executor/devices.h"
#include "simt/executor/fibers/turns.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/findings/reporting.h"
#include "simt/executor/log/called_lines.h"
#include "simt/executor/memory/device_memory.h"
#include "simt/executor/memory/device_variables.h"
#include "simt/executor/memory/mapped_memory.h"
#include "simt/executor/worker/abandon.h"
#include "simt/executor/worker/switch.h"

namespace simt {
namespace {

// Small addresses come from null pointers with an index added.
constexpr std::uintptr_t kNullBytes = 65536;

std::string access_of(unsigned bytes, Direction direction) {
  return (direction == Direction::kLoad ? "load of " : "store of ") + std::to_string(bytes) +
         (bytes == 1 ? " byte" : " bytes");
}

[[gnu::noinline]] void report_outside_shared(const SharedMemory& shared, std::uintptr_t address,
                                             unsigned bytes, Direction direction,
                                             std::uintptr_t code_address) {
  const Reporting reporting;
  report("shared-out-of-bounds", {{}, code_address},
         access_of(bytes, direction) + " at " + shared.describe(shared.offset_in_slot(address)));
}

bool is_inside_shared(const Worker& worker, std::uintptr_t address, unsigned bytes) {
  return worker.shared.is_inside(worker.shared.offset_in_slot(address), bytes);
}

// Behind all that may let other lanes run, so that a store follows at once.
void check_for_races(const Block& owner, std::uintptr_t address, unsigned bytes,
                     Direction direction, std::uintptr_t code_address) {
  if (!current.checking || direction == Direction::kStoreOfPart) return;
  check_shared_access(*current.lane, owner, address, bytes,
                      direction == Direction::kLoad ? SharedAccess::kLoad : SharedAccess::kStore,
                      code_address);
}

// A block of the cluster, from its first thread's beginning to its last one's end.
bool is_there(const Worker& worker, unsigned rank) {
  return worker.cluster_has_met && worker.blocks[rank]->live > 0;
}

void access_distributed(Worker& worker, std::uintptr_t address, unsigned bytes, unsigned rank,
                        Direction direction, std::uintptr_t code_address) {
  if (current.checking && !is_inside_shared(worker, address, bytes)) {
    return report_outside_shared(worker.shared, address, bytes, direction, code_address);
  }
  log_access(address, bytes, AccessKind::kDistributed, code_address);
  check_for_races(*worker.blocks[rank], address, bytes, direction, code_address);
  if (!is_there(worker, rank))
    check_block_is_there(worker, rank, access_of(bytes, direction), code_address);
}

// A copy that the lane has started is on its way there.
bool is_awaited(const Lane& lane, std::uintptr_t address, unsigned bytes) {
  const std::vector<AsyncCopy>& copies = lane.copies.under_way;
  return std::any_of(copies.begin(), copies.end(), [=](const AsyncCopy& copy) {
    return address < copy.to + copy.bytes && copy.to < address + bytes;
  });
}

[[gnu::noinline]] void report_awaited(const Lane& lane, std::uintptr_t address, unsigned bytes,
                                      std::uintptr_t code_address) {
  const Reporting reporting;
  const SharedMemory& shared = worker_of(lane).shared;
  const auto copy = std::find_if(
      lane.copies.under_way.begin(), lane.copies.under_way.end(), [=](const AsyncCopy& each) {
        return address < each.to + each.bytes && each.to < address + bytes;
      });
  report("async-barrier", {{}, code_address},
         access_of(bytes, Direction::kLoad) + " at " +
             shared.describe(shared.offset_in_slot(address)) +
             ", to which the thread has started an asynchronous copy that it has not waited for",
         {{{{}, copy->code_address}, "the copy"}});
}

void access_shared(Worker& worker, std::uintptr_t address, unsigned bytes, Direction direction,
                   std::uintptr_t code_address) {
  Lane& lane = *current.lane;
  // A power of two, by which a division would take longer than all else here.
  if ((address & (bytes - 1)) != 0)
    refuse_misaligned(direction, address, bytes, {{}, code_address});
  const unsigned slot = worker.shared.slot_of(address);
  if (slot != lane.warp->block->rank) {
    return access_distributed(worker, address, bytes, slot, direction, code_address);
  }
  if (current.checking && !is_inside_shared(worker, address, bytes)) {
    return report_outside_shared(worker.shared, address, bytes, direction, code_address);
  }
  log_access(address, bytes,
             direction == Direction::kLoad ? AccessKind::kSharedLoad : AccessKind::kSharedStore,
             code_address);
  if (current.checking && !lane.copies.under_way.empty() && direction == Direction::kLoad &&
      is_awaited(lane, address, bytes)) {
    return report_awaited(lane, address, bytes, code_address);
  }
  check_for_races(*lane.warp->block, address, bytes, direction, code_address);
}

[[gnu::noinline]] void report_constant_store(std::uintptr_t address, const std::string& access,
                                             const Place& place) {
  if (!current.checking) return;
  const Reporting reporting;
  report("constant-store", place,
         access + " at " + describe_variable(address) +
             ": only the host may write it, with cudaMemcpyToSymbol");
}

void access_variable(const PlacedVariable& placed, std::uintptr_t address, unsigned bytes,
                     Direction direction, std::uintptr_t code_address, bool is_volatile) {
  const auto* const at = reinterpret_cast<const void*>(address);
  address = placed.place_of(address);
  if (address % bytes != 0) refuse_misaligned(direction, address, bytes, {{}, code_address});
  const bool loads = direction == Direction::kLoad;
  if (placed.variable.memory != DeviceVariable::kConstant) {
    log_access(address, bytes, loads ? AccessKind::kGlobalLoad : AccessKind::kGlobalStore,
               code_address, is_volatile);
    if (direction == Direction::kStore) note_stored_value(address, at, bytes);
  } else if (loads) {
    log_access(address, bytes, AccessKind::kConstantLoad, code_address);
  } else {
    report_constant_store(address, access_of(bytes, direction), {{}, code_address});
  }
}

void access_mapped(const MappedMemory& mapped, std::uintptr_t address, unsigned bytes,
                   Direction direction, std::uintptr_t code_address, bool is_volatile) {
  if (address % bytes != 0) refuse_misaligned(direction, address, bytes, {{}, code_address});
  log_access(mapped.place_of(address), bytes,
             direction == Direction::kLoad ? AccessKind::kGlobalLoad : AccessKind::kGlobalStore,
             code_address, is_volatile);
}

bool all_of_state(const std::uint8_t* states, unsigned bytes, ByteState wanted) {
  return std::all_of(states, states + bytes,
                     [wanted](std::uint8_t state) { return state == wanted; });
}

// Whether it lies in the arena, where the lane may access it.
bool is_memory(std::uintptr_t address, unsigned bytes, const Place& place) {
  return current.memory.contains(address) || reaches_other_memory(address, bytes, place);
}

// If an argument of the launch points there.
void refuse_host_memory(const Launch& launch, std::uintptr_t address, const std::string& access,
                        const Place& place) {
  for (const HostRange& range : launch.host_ranges) {
    if (!range.contains(address)) continue;
    const std::uintptr_t past = address - range.begin;
    report_and_end_launch(
        "host-pointer", place,
        access + " of " + range.what + ", " +
            (past == 0 ? "" : std::to_string(past) + " bytes past ") +
            "where an argument of the kernel points: a device reaches memory from "
            "cudaMalloc, cudaMallocManaged and cudaMallocHost, and the host's own only as a copy",
        kErrorIllegalAddress);
  }
}

}  // namespace

void wait_for_replay() {
  Lane& lane = *current.lane;
  check_time_limit(lane);
  end_turns(lane);
  lane.warp->log_full |= lane.bit();
  lane.warp->ready &= ~lane.bit();
  run_others(lane);
}

void log_new(Event event, Access access) {
  if (!current.log->add(event, access)) wait_for_replay();
}

void log_new_shared_access(std::uintptr_t address, unsigned bytes, Direction direction,
                           std::uintptr_t code_address) {
  const bool loads = direction == Direction::kLoad;
  log_new(access_event(code_address),
          Access(address, bytes, loads ? AccessKind::kSharedLoad : AccessKind::kSharedStore));
  check_for_races(*current.lane->warp->block, address, bytes, direction, code_address);
}

void log_in_other_call(Event event, std::uintptr_t frame_address) {
  Lane& lane = *current.lane;
  // Where a function ends or does not need one, its code may run in the frame of what called it.
  const bool is_of_kernel =
      lane.has_on_stack(frame_address) && frame_address < lane.outermost_frame;
  while (is_of_kernel && !lane.calls.are_in(frame_address)) {
    const Event passed = lane.calls.go_towards(StackFrame(frame_address));
    if (passed != kNoEvent && !current.log->repeat(passed)) log_new(passed);
  }
  if (!current.log->repeat(event)) log_new(event);
}

void access_elsewhere(std::uintptr_t address, unsigned bytes, Direction direction,
                      std::uintptr_t code_address, bool is_volatile) {
  const Lane& lane = *current.lane;
  if (lane.has_on_stack(address)) return;
  Worker& worker = worker_of(lane);
  if (worker.shared.contains(address)) {
    return access_shared(worker, address, bytes, direction, code_address);
  }
  if (const PlacedVariable* placed = device_variable_at(address)) {
    return access_variable(*placed, address, bytes, direction, code_address, is_volatile);
  }
  if (const MappedMemory* mapped = mapped_memory_at(address)) {
    return access_mapped(*mapped, address, bytes, direction, code_address, is_volatile);
  }
  if (address < kNullBytes) {
    report_and_end_launch(
        "null-access", {{}, code_address},
        access_of(bytes, direction) + " at address " + std::to_string(address) + ": a null pointer",
        kErrorIllegalAddress);
  }
  if (arena.contains_or_guards(address)) {
    report_and_end_launch("global-out-of-bounds", {{}, code_address},
                          access_of(bytes, direction) + " far outside device memory",
                          kErrorIllegalAddress);
  }
  if (!worker.launch->host_ranges.empty()) {
    refuse_host_memory(*worker.launch, address, access_of(bytes, direction), {{}, code_address});
  }
  // Anything else is the program's own: host memory that nobody mapped, string literals.
}

void load_for_async_copy(std::uintptr_t address, unsigned bytes, unsigned read,
                         std::uintptr_t code_address) {
  if (is_memory(address, bytes, {{}, code_address})) {
    if (address % bytes != 0)
      refuse_misaligned("asynchronous copy", address, bytes, {{}, code_address});
    check_states(address, read, Direction::kLoad, {{}, code_address});
  } else if (const PlacedVariable* placed = device_variable_at(address)) {
    address = placed->place_of(address);
    if (address % bytes != 0)
      refuse_misaligned("asynchronous copy", address, bytes, {{}, code_address});
  } else if (const MappedMemory* mapped = mapped_memory_at(address)) {
    address = mapped->place_of(address);
    if (address % bytes != 0)
      refuse_misaligned("asynchronous copy", address, bytes, {{}, code_address});
  } else {
    return access_elsewhere(address, read, Direction::kLoad, code_address);
  }
  log_access(address, read, AccessKind::kAsyncCopy, code_address);
}

void note_arrival_in_shared(const Lane& lane, std::uintptr_t address, unsigned bytes,
                            std::uintptr_t code_address) {
  if (!current.checking) return;
  const SharedMemory& shared = worker_of(lane).shared;
  if (!shared.is_inside(shared.offset_in_slot(address), bytes)) {
    return report_outside_shared(shared, address, bytes, Direction::kStore, code_address);
  }
  check_shared_access(lane, *lane.warp->block, address, bytes, SharedAccess::kStore, code_address);
}

void check_block_is_there(const Worker& worker, unsigned rank, const std::string& access,
                          std::uintptr_t code_address) {
  const Reporting reporting;
  const std::string what =
      access + " of the shared memory of block " + std::to_string(rank) + " of the cluster, ";
  if (!worker.cluster_has_met) {
    report("distributed-before-start", {{}, code_address},
           what + "which may not have begun: begin with a cluster barrier");
  }
  if (worker.blocks[rank]->live == 0) {
    report("distributed-after-exit", {{}, code_address},
           what + "all of whose threads have returned: end with a cluster barrier");
  }
}

void note_async_store(std::uintptr_t address, unsigned bytes, unsigned barrier,
                      std::uintptr_t code_address) {
  const Lane& lane = *current.lane;
  Worker& worker = worker_of(lane);
  const unsigned rank = worker.shared.slot_of(address);
  const bool is_own = rank == lane.warp->block->rank;
  if (current.checking && !is_inside_shared(worker, address, bytes)) {
    return report_outside_shared(worker.shared, address, bytes, Direction::kStore, code_address);
  }
  log_access(address, bytes, AccessKind::kDistributed, code_address);  // to the own block, too
  if (!current.checking) return;
  check_shared_async_store(lane, *worker.blocks[rank], address, bytes, barrier, code_address);
  if (!is_own && !is_there(worker, rank))
    check_block_is_there(worker, rank, "asynchronous store", code_address);
}

bool reaches_other_memory(std::uintptr_t address, unsigned bytes, const Place& place) {
  if (!arena.contains(address)) return false;
  const int mine = current.launch->device;
  const int owner = owner_of_memory(address);
  if (owner == mine || owner == device_count() || has_peer_access(mine, owner)) return true;
  report_and_end_launch(
      "peer-access", place,
      "access of " + std::to_string(bytes) + " bytes by device " + std::to_string(mine) + " at " +
          DeviceMemory::instance().describe(address) + ": device " + std::to_string(mine) +
          " reaches memory of device " + std::to_string(owner) +
          " only after cudaDeviceEnablePeerAccess(" + std::to_string(owner) + ", 0)",
      kErrorIllegalAddress);
}

void access_from_host(std::uintptr_t address, unsigned bytes, Direction direction,
                      std::uintptr_t code_address) {
  if (!arena.contains(address)) return;
  const DeviceMemory& memory = DeviceMemory::instance();
  if (memory.is_managed(address)) {
    if (direction != Direction::kLoad) std::fill_n(arena.states(address), bytes, kWritten);
    return;
  }
  report("host-access", {{}, code_address},
         access_of(bytes, direction) + " by host code at " + memory.describe(address) +
             " of device memory");
}

void refuse_misaligned(const char* what, std::uintptr_t address, unsigned bytes,
                       const Place& place) {
  const auto count_of_bytes = [](std::uintptr_t count) {
    return std::to_string(count) + (count == 1 ? " byte" : " bytes");
  };
  report_and_end_launch("misaligned-access", place,
                        what + (" of " + count_of_bytes(bytes)) + " at an address that is " +
                            count_of_bytes(address % bytes) + " past a multiple of " +
                            std::to_string(bytes),
                        kErrorMisalignedAddress);
}

void refuse_misaligned(Direction direction, std::uintptr_t address, unsigned bytes,
                       const Place& place) {
  refuse_misaligned(direction == Direction::kLoad ? "load" : "store", address, bytes, place);
}

void check_states(std::uintptr_t address, unsigned bytes, Direction direction, const Place& place) {
  std::uint8_t* const states = arena.states(address);
  const bool stores = direction != Direction::kLoad;
  if (stores && all_of_state(states, bytes, kUnwritten)) {
    std::fill_n(states, bytes, kWritten);
    return;
  }
  find_unseen_writes(address, bytes);
  if (!stores && all_of_state(states, bytes, kWritten)) return;
  bool outside = false;
  bool unwritten = false;
  for (unsigned i = 0; i < bytes; ++i) {
    outside |= states[i] == kUnallocated;
    unwritten |= states[i] == kUnwritten;
    if (stores && states[i] == kUnwritten) states[i] = kWritten;
  }
  if (!current.checking || !(outside || unwritten)) return;
  const Reporting reporting;
  const DeviceMemory& memory = DeviceMemory::instance();
  if (outside) {
    report(memory.was_released(address) ? "use-after-free" : "global-out-of-bounds", place,
           access_of(bytes, direction) + " at " + memory.describe(address),
           memory.history(address));
  } else if (unwritten && !stores) {
    report("uninitialized-global-read", place,
           access_of(bytes, direction) + " at " + memory.describe(address) +
               ", which was never written",
           memory.history(address));
  }
}

void note_written(std::uintptr_t address, unsigned bytes) {
  std::uint8_t* const states = arena.states(address);
  std::replace_if(
      states, states + bytes, [](std::uint8_t state) { return state != kUnallocated; }, kWritten);
}

namespace {

// For races, once all parts of it have been logged: nothing lets others run until it is stored.
void check_object(const char* at, std::size_t bytes, unsigned piece, std::uintptr_t code_address) {
  const Lane* const lane = current.lane;
  if (lane == nullptr || !current.checking || bytes == 0) return;
  Worker& worker = worker_of(*lane);
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (const PlacedVariable* placed = device_variable_at(address)) {
    return note_stored_value(placed->place_of(address), at, bytes);
  }
  if (current.memory.contains(address)) {
    if (!current.stored.contains(address)) note_stored_value(address, at, bytes);
    return;
  }
  if (!worker.shared.contains(address) || lane->has_on_stack(address)) return;
  const std::size_t offset = worker.shared.offset_in_slot(address);
  if (!worker.shared.is_inside(offset, bytes)) return;  // which has been reported
  const Block& owner = *worker.blocks[worker.shared.slot_of(address)];
  check_shared_object(*lane, owner, address, bytes, piece, code_address);
}

template <unsigned kPiece>
void access_pieces(char* at, std::size_t bytes, Direction direction, std::uintptr_t code_address) {
  char* const end = at + bytes;
  for (; at < end; at += kPiece) {
    if (direction == Direction::kLoad) {
      on_access<kPiece, Direction::kLoad>(at, code_address);
    } else {
      on_access<kPiece, Direction::kStoreOfPart>(at, code_address);
    }
  }
  if (direction != Direction::kLoad) check_object(end - bytes, bytes, kPiece, code_address);
}

}  // namespace

void on_range(void* pointer, std::size_t bytes, Direction direction, std::uintptr_t code_address) {
  char* const at = static_cast<char*>(pointer);
  const std::uintptr_t both = reinterpret_cast<std::uintptr_t>(pointer) | bytes;
  if (both % 4 == 0) return access_pieces<4>(at, bytes, direction, code_address);
  if (both % 2 == 0) return access_pieces<2>(at, bytes, direction, code_address);
  access_pieces<1>(at, bytes, direction, code_address);
}

namespace {

void note_atomic_on_variable(const PlacedVariable& placed, std::uintptr_t address, unsigned bytes,
                             const Place& place, std::uintptr_t event) {
  address = placed.place_of(address);
  if (placed.variable.memory == DeviceVariable::kConstant) {
    report_constant_store(address, "atomic operation on " + std::to_string(bytes) + " bytes",
                          place);
  } else {
    log_access(address, bytes, AccessKind::kGlobalAtomic, event);
  }
}

void check_atomic(Worker& worker, std::uintptr_t address, unsigned bytes, bool overwrites,
                  const Place& place, std::uintptr_t code_address) {
  const std::size_t offset = worker.shared.offset_in_slot(address);
  if (!worker.shared.is_inside(offset, bytes)) {
    const Reporting reporting;
    return report("shared-out-of-bounds", place,
                  "atomic operation on " + std::to_string(bytes) + " bytes at " +
                      worker.shared.describe(offset));
  }
  const Block& owner = *worker.blocks[worker.shared.slot_of(address)];
  check_shared_atomic(*current.lane, owner, address, bytes, overwrites, code_address);
}

}  // namespace

void note_fence(std::uintptr_t code_address) {
  if (current.lane != nullptr) log_access(0, 0, AccessKind::kFence, code_address);
}

namespace {

void note_atomic_operation(std::uintptr_t address, unsigned size, Location where,
                           std::uintptr_t code_address, bool overwrites) {
  const Place place{where};
  const bool adds_a_constant = std::exchange(current.lane->adds_a_constant, false);
  // The atomic functions are shared by all kernels: the line that calls them makes the event.
  const std::uintptr_t event = number_of_line(where);
  if (current.log != nullptr) {
    worker_of(*current.lane).tally.locate(access_event(event), where);
  }
  if (address % size != 0) refuse_misaligned("atomic operation", address, size, place);
  if (is_memory(address, size, place)) {
    check_states(address, size, overwrites ? Direction::kStore : Direction::kLoad, place);
    return log_access(address, size, AccessKind::kGlobalAtomic, event);
  }
  Worker& worker = worker_of(*current.lane);
  if (!worker.shared.contains(address)) {
    if (const PlacedVariable* placed = device_variable_at(address)) {
      return note_atomic_on_variable(*placed, address, size, place, event);
    }
    if (const MappedMemory* mapped = mapped_memory_at(address)) {
      return log_access(mapped->place_of(address), size, AccessKind::kGlobalAtomic, event);
    }
    refuse_host_memory(*worker.launch, address, access_of(size, Direction::kLoad), place);
    access_elsewhere(address, size, Direction::kLoad, event);
    return log_access(address, 0, AccessKind::kMeeting, event);
  }
  log_access(address, size,
             adds_a_constant ? AccessKind::kSharedAddition : AccessKind::kSharedAtomic, event);
  if (current.checking) check_atomic(worker, address, size, overwrites, place, code_address);
}

}  // namespace

void adds_a_constant() {
  if (current.lane != nullptr) current.lane->adds_a_constant = true;
}

void adds_no_constant() {
  if (current.lane != nullptr) current.lane->adds_a_constant = false;
}

void note_atomic(void* address, std::size_t bytes, Location where) {
  note_atomic(address, bytes, where, SIMT_CODE_ADDRESS, false);
}

void note_atomic(void* address, std::size_t bytes, Location where, std::uintptr_t code_address,
                 bool overwrites) {
  if (current.lane == nullptr) return;
  note_atomic_operation(reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes),
                        where, code_address, overwrites);
  note_look();
}

namespace {

// An atomic load or store where no other memory of the device has it: the first store makes the
// object, and is like any other.
void note_atomic_in_shared(Worker& worker, std::uintptr_t address, unsigned bytes,
                           Direction direction, const Place& place, std::uintptr_t code_address) {
  if (!current.checking) return;
  const Block& owner = *worker.blocks[worker.shared.slot_of(address)];
  const bool is_first =
      direction == Direction::kStore && worker.shared.known_of(address).store.time < owner.start;
  if (is_first && worker.shared.is_inside(worker.shared.offset_in_slot(address), bytes)) {
    check_shared_access(*current.lane, owner, address, bytes, SharedAccess::kStore, code_address);
  } else {
    check_atomic(worker, address, bytes, false, place, code_address);
  }
}

void note_atomic_access(std::uintptr_t address, unsigned bytes, Direction direction, Location where,
                        std::uintptr_t code_address) {
  if (current.lane == nullptr) return;
  const Place place{where};
  const std::uintptr_t event = number_of_line(where);
  if (current.log != nullptr) {
    worker_of(*current.lane).tally.locate(access_event(event), where);
  }
  if (address % bytes != 0) refuse_misaligned(direction, address, bytes, place);
  const bool loads = direction == Direction::kLoad;
  Worker& worker = worker_of(*current.lane);
  if (is_memory(address, bytes, place)) {
    check_states(address, bytes, direction, place);
    log_access(address, bytes, loads ? AccessKind::kGlobalLoad : AccessKind::kGlobalStore, event,
               true);
  } else if (worker.shared.contains(address)) {
    log_access(address, bytes, loads ? AccessKind::kSharedLoad : AccessKind::kSharedStore, event);
    note_atomic_in_shared(worker, address, bytes, direction, place, code_address);
  } else {
    access_elsewhere(address, bytes, direction, event, true);
  }
}

}  // namespace

void note_atomic_load(const void* address, std::size_t bytes, Location where) {
  note_atomic_access(reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes),
                     Direction::kLoad, where, SIMT_CODE_ADDRESS);
  note_look();
}
void note_atomic_store(void* address, std::size_t bytes, Location where) {
  note_atomic_access(reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes),
                     Direction::kStore, where, SIMT_CODE_ADDRESS);
}

}  // namespace simt
