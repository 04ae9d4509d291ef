/// \file
/// What a launch did, as the hardware counters of a GPU would have seen it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt {

/// Traffic of one kind of access to global memory. A request is one instruction of one warp; a
/// sector is 32 bytes; an element has the size that its allocation was made with.
struct Traffic {
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
};

/// Traffic of one kind of access to shared memory. A request takes a wavefront for each round in
/// which its banks serve it; bank conflicts are the rounds beyond those that its width needs.
struct SharedTraffic {
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t bank_conflicts = 0;
};

struct Counters {
  std::uint64_t launches = 0;
  std::uint64_t blocks = 0;
  std::uint64_t threads = 0;
  Traffic global_loads;
  Traffic global_stores;
  Traffic global_atomics;
  SharedTraffic shared_loads;
  SharedTraffic shared_stores;
  SharedTraffic shared_atomics;
  std::uint64_t distributed_requests = 0;  ///< to the shared memory of other blocks of the cluster
  std::uint64_t distributed_bytes = 0;
  std::uint64_t block_barriers = 0;    ///< once a block
  std::uint64_t cluster_barriers = 0;  ///< once a cluster
  std::uint64_t shuffles = 0;          ///< once a warp
  std::uint64_t votes = 0;             ///< once a warp
  std::uint64_t warp_syncs = 0;        ///< once a warp
  std::uint64_t divergences = 0;       ///< how often the lanes of a warp went separate ways

  Counters& operator+=(const Counters& other);
};

/// Everything since the last reset, and one launch.
Counters counters();
void reset_counters();
Counters last_launch();

/// Counting is on unless switched off (verification alone runs faster without).
void set_counting(bool on);

/// Whether every access is checked (bounds, initialization, races); on unless switched off.
void set_checking(bool on);

/// OS threads that run blocks: all cores unless set, or the environment's WORKLOG_WORKERS. Counts
/// do not depend on it.
void set_workers(int count);

/// What is wrong with a kernel, found while it ran: the text reads like a compiler's message and
/// names kernel, file, line, block and thread.
struct Finding {
  std::string kind;     ///< such as "divergent-barrier"
  std::string message;  ///< complete, one or more lines
};
/// In the order of launches, and within a launch of blocks.
const std::vector<Finding>& findings();
void clear_findings();
/// Findings are also printed to standard error at the end of the launch, unless switched off.
void set_findings_printed(bool on);

}  // namespace simt
