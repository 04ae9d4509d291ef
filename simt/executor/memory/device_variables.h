/// \file
/// Which addresses are those of `__device__`, `__managed__` and `__constant__` variables. They lie
/// where the host's compiler puts them, among the program's own; a request to them shall cost the
/// same whichever compiler that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "simt/executor/address_span.h"
#include "simt/executor/executor.h"

namespace simt {

/// A variable and its place on the device: behind the arena, at a multiple of 256 bytes as memory
/// from cudaMalloc. Nothing is there; accesses are counted and watched as if it were.
struct PlacedVariable {
  DeviceVariable variable;  ///< as the program told
  std::uintptr_t begin;     ///< where it does lie
  std::uintptr_t place;     ///< where it is counted
  /// Where an address of the variable is counted.
  std::uintptr_t place_of(std::uintptr_t address) const { return place + (address - begin); }
};

/// From the first byte of the first variable to the last of the last: tells most other addresses
/// without a search. Empty without variables.
extern constinit AddressSpan span_of_device_variables;  ///< set before the first launch

/// Among those within the span; null if it is none.
const PlacedVariable* find_device_variable(std::uintptr_t address);

/// The variable that this address lies in, or null.
inline const PlacedVariable* device_variable_at(std::uintptr_t address) {
  return span_of_device_variables.contains(address) ? find_device_variable(address) : nullptr;
}

/// Where what has that place does lie; null if no variable has it.
const void* variable_at_place(std::uintptr_t place);

/// "byte 4 of the __constant__ variable 'mask', which has 100 bytes"; empty if no variable has that
/// place.
std::string describe_variable(std::uintptr_t place);

}  // namespace simt
