#include "common/simt/executor/memory_access.h"

#include <algorithm>
#include <string>

#include "common/simt/executor/device_memory.h"
#include "common/simt/executor/findings.h"
#include "common/simt/executor/scheduler.h"
#include "common/simt/executor/shared_races.h"

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
  report("shared-out-of-bounds", {{}, code_address},
         access_of(bytes, direction) + " at " + shared.describe(shared.offset_in_slot(address)));
}

void access_distributed(Worker& worker, std::uintptr_t address, unsigned bytes, unsigned rank,
                        Direction direction, std::uintptr_t code_address) {
  if (current.checking) {
    if (!worker.shared.is_inside(worker.shared.offset_in_slot(address), bytes)) {
      return report_outside_shared(worker.shared, address, bytes, direction, code_address);
    }
    check_distributed_access(*current.lane, *worker.blocks[rank], address, bytes,
                             direction == Direction::kStore, code_address);
  }
  if (worker.blocks[rank]->live == 0) {
    report("distributed-after-exit", {{}, code_address},
           access_of(bytes, direction) + " of the shared memory of block " + std::to_string(rank) +
               " of the cluster, all of whose threads have returned: end with a cluster barrier");
  }
  log_access(address, bytes, AccessKind::kDistributed, code_address);
}

void access_shared(Worker& worker, std::uintptr_t address, unsigned bytes, Direction direction,
                   std::uintptr_t code_address) {
  Lane& lane = *current.lane;
  const unsigned slot = worker.shared.slot_of(address);
  if (slot != lane.warp->block->rank) {
    return access_distributed(worker, address, bytes, slot, direction, code_address);
  }
  if (address % bytes != 0) refuse_misaligned(address, bytes, {{}, code_address});
  if (current.checking) {
    if (!worker.shared.is_inside(worker.shared.offset_in_slot(address), bytes)) {
      return report_outside_shared(worker.shared, address, bytes, direction, code_address);
    }
    check_shared_access(lane, address, bytes, direction == Direction::kStore, code_address);
  }
  log_access(address, bytes,
             direction == Direction::kLoad ? AccessKind::kSharedLoad : AccessKind::kSharedStore,
             code_address);
}

}  // namespace

void wait_for_replay(Lane& lane) {
  lane.warp->log_full |= lane.bit();
  lane.warp->ready &= ~lane.bit();
  run_others(lane);
}

void access_elsewhere(std::uintptr_t address, unsigned bytes, Direction direction,
                      std::uintptr_t code_address) {
  const Lane& lane = *current.lane;
  if (address - lane.stack < FiberStacks::kUsableBytes) return;
  Worker& worker = worker_of(lane);
  if (worker.shared.contains(address)) {
    return access_shared(worker, address, bytes, direction, code_address);
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
  // Anything else is the program's own: constants, and host memory that the device may read.
}

void access_from_host(std::uintptr_t address, unsigned bytes, Direction direction,
                      std::uintptr_t code_address) {
  if (!arena.contains(address)) return;
  const DeviceMemory& memory = DeviceMemory::instance();
  if (memory.is_managed(address)) {
    if (direction == Direction::kStore) std::fill_n(arena.states(address), bytes, kWritten);
    return;
  }
  report("host-access", {{}, code_address},
         access_of(bytes, direction) + " by host code at " + memory.describe(address) +
             " of device memory");
}

void refuse_misaligned(std::uintptr_t address, unsigned bytes, const Place& place) {
  report_and_end_launch("misaligned-access", place,
                        "access of " + std::to_string(bytes) + " bytes at an address that is " +
                            std::to_string(address % bytes) + " bytes past a multiple of " +
                            std::to_string(bytes),
                        kErrorMisalignedAddress);
}

void check_states(std::uintptr_t address, unsigned bytes, Direction direction, const Place& place) {
  bool outside = false;
  bool unwritten = false;
  std::uint8_t* states = arena.states(address);
  for (unsigned i = 0; i < bytes; ++i) {
    outside |= states[i] == kUnallocated;
    unwritten |= states[i] == kUnwritten;
    if (direction == Direction::kStore && states[i] == kUnwritten) states[i] = kWritten;
  }
  if (!current.checking) return;
  const DeviceMemory& memory = DeviceMemory::instance();
  if (outside) {
    report(memory.was_released(address) ? "use-after-free" : "global-out-of-bounds", place,
           access_of(bytes, direction) + " at " + memory.describe(address));
  } else if (unwritten && direction == Direction::kLoad) {
    report("uninitialized-global-read", place,
           access_of(bytes, direction) + " at " + memory.describe(address) +
               ", which was never written");
  }
}

namespace {

template <unsigned kPiece>
void access_pieces(char* at, std::size_t bytes, Direction direction, std::uintptr_t code_address) {
  for (char* const end = at + bytes; at < end; at += kPiece) {
    if (direction == Direction::kLoad) {
      on_access<kPiece, Direction::kLoad>(at, code_address);
    } else {
      on_access<kPiece, Direction::kStore>(at, code_address);
    }
  }
}

}  // namespace

void on_range(void* pointer, std::size_t bytes, Direction direction, std::uintptr_t code_address) {
  char* const at = static_cast<char*>(pointer);
  const std::uintptr_t both = reinterpret_cast<std::uintptr_t>(pointer) | bytes;
  if (both % 4 == 0) return access_pieces<4>(at, bytes, direction, code_address);
  if (both % 2 == 0) return access_pieces<2>(at, bytes, direction, code_address);
  access_pieces<1>(at, bytes, direction, code_address);
}

void note_atomic(void* pointer, std::size_t bytes, Location where) {
  if (current.lane == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto size = static_cast<unsigned>(bytes);
  const Place place{where};
  // The atomic functions are shared by all kernels: the line that calls them makes the event.
  const auto event =
      reinterpret_cast<std::uintptr_t>(where.file) + static_cast<unsigned>(where.line);
  if (address % bytes != 0) refuse_misaligned(address, size, place);
  if (arena.contains(address)) {
    check_states(address, size, Direction::kLoad, place);
    return log_access(address, size, AccessKind::kGlobalAtomic, event);
  }
  Worker& worker = worker_of(*current.lane);
  if (!worker.shared.contains(address)) {
    return access_elsewhere(address, size, Direction::kLoad, event);
  }
  if (current.checking) check_shared_atomic(*current.lane, address, size, place);
  log_access(address, size, AccessKind::kSharedAtomic, event);
}

}  // namespace simt
