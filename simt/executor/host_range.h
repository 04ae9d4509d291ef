/// \file
/// A stretch of the host's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

/// Memory of the host from where an argument points on.
struct HostRange {
  std::uintptr_t begin = 0;  ///< where the argument points
  std::size_t bytes = 0;     ///< up to the end of the allocation, or of what is surely one with it
  const char* what = "";     ///< such as "memory from malloc or new", or "a stack"
  /// Whether it has the address.
  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

}  // namespace simt
