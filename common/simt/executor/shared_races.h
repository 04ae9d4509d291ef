/// \file
/// Finds accesses to shared memory of different threads that no barrier orders, and reads of what
/// nobody wrote. It looks at the order that barriers establish, not at the order in which this run
/// happened to execute them.
#pragma once

#include <cstdint>

#include "common/simt/executor/block.h"
#include "common/simt/executor/findings.h"

namespace simt {

void check_shared_access(const Lane& lane, std::uintptr_t address, unsigned bytes, bool store,
                         std::uintptr_t code_address);
/// Atomics do not race with each other; they do with a plain store.
void check_shared_atomic(const Lane& lane, std::uintptr_t address, unsigned bytes,
                         const Place& place);

/// The shared memory of another block of the cluster, which only a cluster barrier makes safe.
void check_distributed_access(const Lane& lane, const Block& owner, std::uintptr_t address,
                              unsigned bytes, bool store, std::uintptr_t code_address);

}  // namespace simt
