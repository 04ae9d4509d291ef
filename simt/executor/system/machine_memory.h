/// \file
/// How much memory the machine can still give.
#pragma once

#include <cstdint>

namespace simt {

/// In bytes, within the limits of the container that this runs in, as far as the system tells.
std::uint64_t available_machine_memory();

}  // namespace simt
