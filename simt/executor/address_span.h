/// \file
/// Addresses side by side.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

/// A range of addresses; empty at first.
struct AddressSpan {
  std::uintptr_t begin = 0;  ///< the lowest
  std::size_t bytes = 0;     ///< up to behind the highest
  /// Whether an address is one of them.
  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

}  // namespace simt
