/// \file
/// What happens when instrumented code is about to load or store. This is the hottest code of the
/// executor: what every access needs is inline, the rest is in memory_access.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simt/executor/checkers/global_races.h"
#include "simt/executor/checkers/shared_races.h"
#include "simt/executor/checkers/usual_shared_access.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/memory/arena.h"
#include "simt/executor/worker/worker.h"

namespace simt {

/// What an access does, atomic operations aside.
enum class Direction : std::uint8_t {
  kLoad,         ///< reads
  kStore,        ///< writes
  kStoreOfPart,  ///< writes a part of an object, which is checked for races as a whole
};

/// The kind of an access to global memory.
template <Direction kDirection>
constexpr AccessKind kGlobalAccess =
    kDirection == Direction::kLoad ? AccessKind::kGlobalLoad : AccessKind::kGlobalStore;

/// Neither the arena nor host code: shared memory, the stack, the device's variables, or a mistake.
void access_elsewhere(std::uintptr_t address, unsigned bytes, Direction direction,
                      std::uintptr_t code_address, bool is_volatile = false);
/// The running lane begins an asynchronous copy of `bytes` bytes to shared memory, to which the
/// address must be aligned. The first `read` of them are read here; zeros arrive for the others
/// (PTX, cp.async: src-size).
void load_for_async_copy(std::uintptr_t address, unsigned bytes, unsigned read,
                         std::uintptr_t code_address);
/// Whether it lies in the arena: in memory that belongs to no device, or to another one, which the
/// lane's device must be allowed to access; else the launch ends with a finding.
bool reaches_other_memory(std::uintptr_t address, unsigned bytes, const Place& place);
/// Host code accesses some memory: of the device's it may access what is managed, and no other.
void access_from_host(std::uintptr_t address, unsigned bytes, Direction direction,
                      std::uintptr_t code_address);
/// An asynchronous copy of a lane arrives in the shared memory of its block: it is checked as a
/// store, and none is counted.
void note_arrival_in_shared(const Lane& lane, std::uintptr_t address, unsigned bytes,
                            std::uintptr_t code_address);
/// Reports it if another block of the cluster may not have begun, or has ended: that of this rank,
/// whose shared memory is accessed.
void check_block_is_there(const Worker& worker, unsigned rank, const std::string& access,
                          std::uintptr_t code_address);
/// The running lane stores asynchronously to the shared memory of its own or another block: that is
/// counted and checked as its store, but for what comes after it (check_shared_async_store()).
void note_async_store(std::uintptr_t address, unsigned bytes, unsigned barrier,
                      std::uintptr_t code_address);
/// Ends the launch with a finding: the address is no multiple of the access's width.
/// `what` is "load", "store" and so on.
[[noreturn]] void refuse_misaligned(const char* what, std::uintptr_t address, unsigned bytes,
                                    const Place& place);
/// The same of a load or a store.
[[noreturn]] void refuse_misaligned(Direction direction, std::uintptr_t address, unsigned bytes,
                                    const Place& place);
/// Some byte is not in the state `kWritten`.
void check_states(std::uintptr_t address, unsigned bytes, Direction direction, const Place& place);
/// A launch that runs plain stores to memory of which some byte is not in the state `kWritten`.
void note_written(std::uintptr_t address, unsigned bytes);

/// Takes adds_a_constant() back, before an atomic operation that does something else.
void adds_no_constant();

/// The running lane's log is full: others run until it has been replayed.
void wait_for_replay();

/// The running lane does what no other lane of its warp did before it.
void log_new(Event event, Access access = {});

/// Notes an access of the running lane, if anything is counted.
inline void log_access(std::uintptr_t address, unsigned bytes, AccessKind kind,
                       std::uintptr_t code_address, bool is_volatile = false) {
  if (current.log == nullptr) return;
  const Access access(address, bytes, kind, is_volatile);
  const Event event = access_event(code_address);
  if (!current.log->repeat(event, access)) [[unlikely]]
    log_new(event, access);
}

/// Whether all bytes of an access within the arena have been written.
template <unsigned kBytes>
bool all_written(std::uintptr_t address) {
  static constexpr auto kExpected = [] {
    std::array<std::uint8_t, kBytes> states;
    states.fill(kWritten);
    return states;
  }();
  return std::memcmp(arena.states(address), kExpected.data(), kBytes) == 0;
}

/// Whatever is not as nearly always: by host code, elsewhere, misaligned or not written before.
/// Apart from the common case, which so needs no registers saved and no stack.
template <unsigned kBytes, Direction kDirection, bool kVolatile>
[[gnu::noinline]] void on_unusual_access(std::uintptr_t address, std::uintptr_t code_address) {
  if (current.lane == nullptr) return access_from_host(address, kBytes, kDirection, code_address);
  if (current.lane->has_on_stack(address)) return;
  if (!current.memory.contains(address) &&
      !reaches_other_memory(address, kBytes, {{}, code_address})) {
    return access_elsewhere(address, kBytes, kDirection, code_address, kVolatile);
  }
  if (address % kBytes != 0) refuse_misaligned(kDirection, address, kBytes, {{}, code_address});
  if (!all_written<kBytes>(address)) check_states(address, kBytes, kDirection, {{}, code_address});
  log_access(address, kBytes, kGlobalAccess<kDirection>, code_address, kVolatile);
  if (kDirection == Direction::kStore && !current.stored.contains(address)) {
    note_stored_value(address, reinterpret_cast<const void*>(address), kBytes);
  }
}

/// The running lane accesses shared memory, and its log is not as nearly always.
void log_new_shared_access(std::uintptr_t address, unsigned bytes, Direction direction,
                           std::uintptr_t code_address);

/// An access to shared memory that may be a usual one.
template <unsigned kBytes, Direction kDirection, bool kVolatile>
[[gnu::noinline]] void on_shared_access(std::uintptr_t address, std::uintptr_t code_address) {
  constexpr bool kLoads = kDirection == Direction::kLoad;
  const Lane& lane = *current.lane;
  const Block& block = *lane.warp->block;
  const std::size_t offset = address - current.shared.begin;
  if (address % kBytes != 0 || !block.worker->shared.is_inside(offset, kBytes)) {
    return on_unusual_access<kBytes, kDirection, kVolatile>(address, code_address);
  }
  const Access access(address, kBytes, kLoads ? AccessKind::kSharedLoad : AccessKind::kSharedStore);
  if (!current.log->repeat(access_event(code_address), access)) [[unlikely]] {
    return log_new_shared_access(address, kBytes, kDirection, code_address);
  }
  if constexpr (kLoads && kBytes == SharedMemory::kWordBytes) {
    SharedMemory& shared = block.worker->shared;
    SharedByte& word = *shared.words_at(address);
    if (is_loaded_again(word, lane, block) && !shared.is_apart(address)) {
      return note_loaded_again(word, lane, code_address);
    }
  }
  if (!note_usual_shared_access<kBytes, kLoads>(address, code_address)) [[unlikely]] {
    check_shared_access(lane, block, address, kBytes,
                        kLoads ? SharedAccess::kLoad : SharedAccess::kStore, code_address);
  }
}

/// Nothing is counted or checked, but later launches want to know what has been written.
template <unsigned kBytes, Direction kDirection>
void on_plain_access(std::uintptr_t address) {
  if (kDirection == Direction::kLoad || !arena.contains(address)) return;
  if (!all_written<kBytes>(address)) [[unlikely]]
    note_written(address, kBytes);
}

/// Nothing is counted, or host code runs.
template <unsigned kBytes, Direction kDirection, bool kVolatile>
[[gnu::noinline]] void on_uncounted_access(std::uintptr_t address, std::uintptr_t code_address) {
  if (current.lane != nullptr) {
    if (current.lane->has_on_stack(address)) return;
    const bool is_memory = current.memory.contains(address);
    if (is_memory && address % kBytes == 0 && all_written<kBytes>(address)) return;
  }
  on_unusual_access<kBytes, kDirection, kVolatile>(address, code_address);
}

/// The hook of every load and store of `kBytes` bytes.
template <unsigned kBytes, Direction kDirection, bool kVolatile = false>
inline void on_access(void* pointer, std::uintptr_t code_address) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (current.log == nullptr) {
    if (current.plain) return on_plain_access<kBytes, kDirection>(address);
    return on_uncounted_access<kBytes, kDirection, kVolatile>(address, code_address);
  }
  const AddressSpan& usual = kDirection == Direction::kLoad ? current.memory : current.stored;
  if (!usual.contains(address) || address % kBytes != 0 || !all_written<kBytes>(address)) {
    if constexpr (kBytes % SharedMemory::kWordBytes == 0 && kDirection != Direction::kStoreOfPart) {
      if (current.shared.contains(address)) {
        return on_shared_access<kBytes, kDirection, kVolatile>(address, code_address);
      }
    }
    return on_unusual_access<kBytes, kDirection, kVolatile>(address, code_address);
  }
  log_access(address, kBytes, kGlobalAccess<kDirection>, code_address, kVolatile);
}

/// The running lane comes to a basic block of another function, which it has called or returned to,
/// and whose frame is at this address if it is one of its kernel's.
void log_in_other_call(Event event, std::uintptr_t frame_address);

/// The hook of every basic block, in a function whose frame is at `frame_address`. Code of the
/// host, which shares inline functions with kernels, may have none.
inline void on_basic_block(std::uintptr_t code_address, std::uintptr_t frame_address) {
  if (current.log == nullptr) return;
  const Event event = basic_block_event(code_address);
  if (!current.lane->calls.are_in(frame_address)) [[unlikely]]
    return log_in_other_call(event, frame_address);
  if (!current.log->repeat(event)) [[unlikely]]
    log_new(event);
}

/// An object whose alignment is not known: in pieces of 4 bytes, or less where it must be.
void on_range(void* pointer, std::size_t bytes, Direction direction, std::uintptr_t code_address);

}  // namespace simt
