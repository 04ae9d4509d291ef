/// \file
/// What crosses the links between ranks, where it is counted: on the CPU executor.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace worklog {

/// NCCL's calls of a rank of this process since its beginning, and the bytes that they have sent.
struct Crossing {
  std::int64_t calls = 0;       ///< that have ended well
  std::int64_t sent_bytes = 0;  ///< by all of them
};

/// Whether this machine counts them.
bool counts_crossing();

/// Of rank `rank`; nothing where nobody counts.
Crossing crossing_of(int rank);

/// All that was counted since the beginning of this process, of all its ranks together, by name:
/// what their kernels did, `nccl_calls` and `nccl_sent_bytes`. Nothing where nobody counts.
std::vector<std::pair<std::string, std::int64_t>> all_counted();

}  // namespace worklog
