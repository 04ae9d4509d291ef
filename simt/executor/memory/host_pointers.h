/// \file
/// Which arguments of a launch point to memory of the host that no device reaches: from malloc and
/// new, variables, the stack. Kernels that dereference them run here as they would not on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simt {

/// Memory of the host from where an argument points on.
struct HostRange {
  std::uintptr_t begin = 0;  ///< where the argument points
  std::size_t bytes = 0;     ///< up to the end of the allocation, or of what is surely one with it
  const char* what = "";     ///< such as "memory from malloc or new", or "a stack"
  /// Whether it has the address.
  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

/// Whether kernels that access such memory are ended with a finding. Not unless it is asked for:
/// programs of which a library calls the executor may share memory with kernels on purpose.
void refuse_host_pointers(bool on);
/// Whether that is so.
bool host_pointers_are_refused();

/// The next launch of this OS thread gets an argument that may be such a pointer.
void expect_host_pointer(std::uintptr_t address);
/// Those for the launch that begins now, and forgets them.
std::vector<HostRange> take_expected_host_pointers();

}  // namespace simt
