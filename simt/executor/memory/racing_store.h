/// \file
/// A store to shared memory that races with another one: whether that is a mistake depends on what
/// it stores, which is known once it has happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/executor/memory/shared_memory.h"

namespace simt {

struct Block;
struct Lane;

/// One that is about to happen, or has just happened.
struct RacingStore {
  const Lane* lane = nullptr;       ///< that makes it
  const Block* owner = nullptr;     ///< of the shared memory
  std::uintptr_t address = 0;       ///< of the first byte
  std::uintptr_t code_address = 0;  ///< of the store
  LastAccess other = {};            ///< the store that it races with
  LastAccess load = {};             ///< that it races with, too, if there is one
  LastAccess atomic = {};           ///< the same of an atomic operation
  std::vector<char> before = {};    ///< what the bytes hold until it happens
};

}  // namespace simt
