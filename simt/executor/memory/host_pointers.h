/// \file
/// Which arguments of a launch point to memory of the host that no device reaches: from malloc and
/// new, variables, the stack. Kernels that dereference them run here as they would not on a GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/executor/host_range.h"

namespace simt {

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
