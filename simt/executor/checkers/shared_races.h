/// \file
/// Finds accesses to shared memory of different threads that no barrier orders, and reads of what
/// nobody wrote. It looks at the order that barriers establish, not at the order in which this run
/// happened to execute them.
///
/// Stores that race with each other are no mistake if all of them store the same. A store is
/// checked before it happens, so it is judged at the next access: then the memory has what it
/// stored, and what lay there before is what the store before it has left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/executor/fibers/block.h"

namespace simt {

/// A plain access.
enum class SharedAccess : std::uint8_t {
  kLoad,   ///< reads bytes
  kStore,  ///< writes bytes
  kMake,   ///< makes an object of which the bytes say nothing, such as a barrier
};

/// An access to the shared memory of `owner`: the lane's own block, or another one of its cluster.
/// A store must follow at once: no other lane runs in between.
void check_shared_access(const Lane& lane, const Block& owner, std::uintptr_t address,
                         unsigned bytes, SharedAccess access, std::uintptr_t code_address);

/// The same of the store of a whole object, which is checked by pieces of so many bytes.
void check_shared_object(const Lane& lane, const Block& owner, std::uintptr_t address,
                         std::size_t bytes, unsigned piece, std::uintptr_t code_address);

/// An asynchronous store, of so many bytes, which arrives later: only those come after it who know
/// that the barrier of that number in the owner's memory has waited for it.
void check_shared_async_store(const Lane& lane, const Block& owner, std::uintptr_t address,
                              unsigned bytes, unsigned barrier, std::uintptr_t code_address);

/// Atomic operations race with plain accesses, but not with each other. One that overwrites, an
/// exchange, may be the first to write.
void check_shared_atomic(const Lane& lane, const Block& owner, std::uintptr_t address,
                         unsigned bytes, bool overwrites, std::uintptr_t code_address);

/// Reports what is left to be judged: nothing more happens in the shared memory of this cluster.
void end_shared_races(Worker& worker);

}  // namespace simt
