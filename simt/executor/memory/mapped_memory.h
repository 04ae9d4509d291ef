/// \file
/// Which of the host's own memory kernels reach as their own: arrays that nobody copies to the
/// device. They lie wherever the host has put them; a request to them shall cost the same every
/// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "simt/executor/memory/device_variables.h"

namespace simt {

/// A stretch of host memory and its place in the arena. Nothing is there; accesses are counted and
/// watched as if it were.
struct MappedMemory {
  std::uintptr_t begin = 0;  ///< where it does lie
  std::size_t bytes = 0;     ///< of all of it
  std::uintptr_t place = 0;  ///< where it is counted
  /// Where an address of it is counted.
  std::uintptr_t place_of(std::uintptr_t address) const { return place + (address - begin); }
};

/// From the first mapped byte to the last. Empty where nothing is mapped.
extern constinit AddressSpan span_of_mapped_memory;

/// Among those within the span; null if it is none.
const MappedMemory* find_mapped_memory(std::uintptr_t address);

/// The mapped memory that this address lies in, or null.
inline const MappedMemory* mapped_memory_at(std::uintptr_t address) {
  return span_of_mapped_memory.contains(address) ? find_mapped_memory(address) : nullptr;
}

/// "byte 4 of 400 bytes of mapped host memory"; empty if none has that place.
std::string describe_mapped_memory(std::uintptr_t place);

}  // namespace simt
