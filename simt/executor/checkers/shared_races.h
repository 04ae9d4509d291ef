/// \file
/// Finds accesses to shared memory of different threads that no barrier orders, and reads of what
/// nobody wrote. It looks at the order that barriers establish, not at the order in which this run
/// happened to execute them.
#pragma once

#include <cstdint>

#include "simt/executor/fibers/block.h"

namespace simt {

/// An access to the shared memory of `owner`: the lane's own block, or another one of its cluster.
void check_shared_access(const Lane& lane, const Block& owner, std::uintptr_t address,
                         unsigned bytes, bool store, std::uintptr_t code_address);

/// Atomic operations race with plain accesses, but not with each other. One that overwrites, an
/// exchange, may be the first to write.
void check_shared_atomic(const Lane& lane, const Block& owner, std::uintptr_t address,
                         unsigned bytes, bool overwrites, std::uintptr_t code_address);

}  // namespace simt
