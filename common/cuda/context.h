/// \file
/// Which CUDA context a thread works in.
#pragma once

#include <cstdint>
#include <optional>

namespace worklog {

/// The number of the calling thread's context, which no other of the process has or had:
/// cudaDeviceReset() ends one, and the next has another number. None where CUDA does not tell: on
/// the CPU executor, before CUDA 12.5, and in a thread that has not used a GPU yet.
std::optional<std::uint64_t> current_context();

}  // namespace worklog
