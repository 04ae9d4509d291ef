/// \file
/// Finds accesses to shared memory of different threads that no barrier orders, and reads of what
/// nobody wrote. It looks at the order that barriers establish, not at the order in which this run
/// happened to execute them.
#pragma once

#include <cstdint>

#include "common/simt/executor/block.h"

namespace simt {

void check_shared_access(const Lane& lane, std::uintptr_t address, unsigned bytes, bool store,
                         std::uintptr_t code_address);
/// Atomics do not race with each other; they do with a plain store.
void check_shared_atomic(const Lane& lane, std::uintptr_t address, unsigned bytes,
                         std::uintptr_t code_address);

}  // namespace simt
