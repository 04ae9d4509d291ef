/// \file
/// What a launch did, as the hardware counters of a GPU would have seen it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt {

/// Traffic of one kind of access. A request is one instruction of one warp; a sector is 32 bytes.
struct Traffic {
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
};

struct Counters {
  std::uint64_t launches = 0;
  std::uint64_t blocks = 0;
  std::uint64_t threads = 0;
  Traffic global_loads;
  Traffic global_stores;
  std::uint64_t block_barriers = 0;  ///< once a block
  std::uint64_t shuffles = 0;        ///< once a warp
  std::uint64_t votes = 0;           ///< once a warp
  std::uint64_t warp_syncs = 0;      ///< once a warp

  Counters& operator+=(const Counters& other);
};

/// Everything since the last reset, and one launch.
Counters counters();
void reset_counters();
Counters last_launch();

/// Counting is on unless switched off (verification alone runs faster without).
void set_counting(bool on);

/// OS threads that run blocks: all cores unless set, or the environment's WORKLOG_WORKERS.
void set_workers(int count);

/// What is wrong with a kernel, found while it ran: the text reads like a compiler's message and names kernel, file,
/// line, block and thread.
struct Finding {
  std::string kind;     ///< such as "divergent-barrier"
  std::string message;  ///< complete, one or more lines
};
const std::vector<Finding>& findings();
void clear_findings();
/// Findings are also printed to standard error as they come, unless switched off.
void set_findings_printed(bool on);

}  // namespace simt
