/// \file
/// What a launch did, as the hardware counters of a GPU would have seen it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simt {

/// Traffic of one kind of access to global memory. A request is one instruction of one warp; a
/// sector is 32 bytes; an element has the size that its allocation was made with.
struct Traffic {
  std::uint64_t elements = 0;          ///< asked for by all lanes
  std::uint64_t bytes = 0;             ///< asked for by all lanes
  std::uint64_t requests = 0;          ///< instructions, once for a warp
  std::uint64_t sectors = 0;           ///< distinct ones of each request, added up
  std::uint64_t lanes = 0;             ///< that took part, of all requests
  std::uint64_t partial_requests = 0;  ///< in which some running lanes of the warp took no part
  std::uint64_t unique_bytes = 0;      ///< touched at least once in a launch
};

/// Traffic of one kind of access to shared memory. A request takes a wavefront for each round in
/// which its banks serve it; bank conflicts are the rounds beyond those that its width needs.
struct SharedTraffic {
  std::uint64_t bytes = 0;             ///< asked for by all lanes
  std::uint64_t requests = 0;          ///< instructions, once for a warp
  std::uint64_t wavefronts = 0;        ///< rounds of the banks
  std::uint64_t bank_conflicts = 0;    ///< wavefronts beyond those that the width needs
  std::uint64_t lanes = 0;             ///< that took part, of all requests
  std::uint64_t partial_requests = 0;  ///< in which some running lanes of the warp took no part
};

/// Loads of `__constant__` variables. A constant cache serves one word at a time to a warp, so a
/// request takes as many passes as its lanes want different words of 4 bytes.
struct ConstantTraffic {
  std::uint64_t bytes = 0;     ///< asked for by all lanes
  std::uint64_t requests = 0;  ///< instructions, once for a warp
  std::uint64_t words = 0;     ///< different ones, of each request
  std::uint64_t lanes = 0;     ///< that took part, of all requests
};

/// Accesses to the memory of another device, over the link between the two. They are among those to
/// global memory, too.
struct LinkTraffic {
  std::uint64_t bytes = 0;     ///< asked for by all lanes
  std::uint64_t requests = 0;  ///< instructions, once for a warp
  std::uint64_t sectors = 0;   ///< distinct ones of each request, added up
};

/// Everything that is counted. simt/docs/counters.md says what each means on a GPU.
struct Counters {
  std::uint64_t launches = 0;      ///< kernels
  std::uint64_t blocks = 0;        ///< of all launches
  std::uint64_t threads = 0;       ///< of all launches
  Traffic global_loads;            ///< with those of `__device__` and `__managed__` variables
  Traffic global_stores;           ///< with those of `__device__` and `__managed__` variables
  Traffic global_atomics;          ///< neither loads nor stores
  SharedTraffic shared_loads;      ///< of the block's own shared memory
  SharedTraffic shared_stores;     ///< of the block's own shared memory
  SharedTraffic shared_atomics;    ///< of the block's own shared memory
  ConstantTraffic constant_loads;  ///< of `__constant__` variables
  LinkTraffic link_loads;          ///< of global_loads
  LinkTraffic link_stores;         ///< of global_stores
  LinkTraffic link_atomics;        ///< of global_atomics
  std::uint64_t async_copy_requests = 0;   ///< of global_loads: those to shared memory at once
  std::uint64_t async_copy_bytes = 0;      ///< of those requests
  std::uint64_t distributed_requests = 0;  ///< to other blocks' shared memory, and st_async
  std::uint64_t distributed_bytes = 0;     ///< of those requests
  std::uint64_t block_barriers = 0;        ///< once a block
  std::uint64_t cluster_barriers = 0;      ///< once a cluster
  std::uint64_t shuffles = 0;              ///< once a warp
  std::uint64_t votes = 0;                 ///< once a warp
  std::uint64_t warp_syncs = 0;            ///< once a warp
  std::uint64_t tensor_instructions = 0;   ///< that multiply matrices; once a warp
  std::uint64_t divergences = 0;           ///< how often the lanes of a warp went separate ways
  /// Bytes that were loaded and that nothing in their launch wrote; no line has any.
  std::uint64_t global_read_only_unique_bytes = 0;

  /// Adds every counter.
  Counters& operator+=(const Counters& other);
};

/// Every counter with its name in records and tables, such as "global_load_requests".
std::vector<std::pair<std::string_view, std::uint64_t>> named(const Counters& counters);

/// Everything since the last reset, and one launch.
Counters counters();
/// Sets all of counters() and counters_by_line() to 0.
void reset_counters();
/// Of the launch that ended last.
Counters last_launch();

/// What one line of the source did: `counters` has no launches, blocks and threads.
struct LineCounters {
  std::string file;   ///< its name, without directories
  int line = 0;       ///< from 1
  Counters counters;  ///< of that line alone
};
/// By file, then line. What an inlined function of a stand-in header does counts where it is
/// called.
std::vector<LineCounters> counters_by_line();
/// The same of the launch that ended last.
std::vector<LineCounters> last_launch_by_line();

/// Counting is on unless switched off (verification alone runs faster without).
void set_counting(bool on);

/// Whether every access is checked (bounds, initialization, races); on unless switched off.
void set_checking(bool on);

/// Launches that begin so many seconds after the first one or later run *plain* if one of the same
/// kernel and shape was counted before: nothing of them is counted or checked, and they take a
/// fraction of the time. All launches are counted unless set; 0 leaves the first of each kind. The
/// first launch is that after this call.
void set_counted_time(double seconds);

/// OS threads that run blocks: all cores unless set, or the environment's SIMT_WORKERS. Counts
/// do not depend on it.
void set_workers(int count);
/// How many there are.
int workers();

/// Device memory that nobody has freed so far, by the line that allocated it. What remains at the
/// end of the program is noted on standard error.
struct UnfreedMemory {
  std::string allocated_at;       ///< "file:line" of the host code, or "unknown line"
  std::uint64_t allocations = 0;  ///< how many from there
  std::uint64_t bytes = 0;        ///< all of them together
};
/// By the line that allocated it.
std::vector<UnfreedMemory> unfreed_memory();

/// A launch that takes longer than this ends with CUDA's error 702 and a finding that tells where
/// its threads are. 600 s unless set, or the environment's SIMT_TIME_LIMIT; 0 for no limit.
void set_time_limit(double seconds);

/// The limit that holds, in seconds; 0 for none.
double time_limit();

/// What is wrong with a kernel, found while it ran: the text reads like a compiler's message and
/// names kernel, file, line, block and thread.
struct Finding {
  /// A line of the source, and what happened there.
  struct Line {
    std::string place;    ///< "file:line", or words where no line is known
    std::string message;  ///< without the place
  };
  std::string kind;         ///< such as "divergent-barrier"
  std::string message;      ///< complete, one or more lines
  std::string kernel;       ///< empty for host code
  std::vector<Line> lines;  ///< where it was found, then those of its notes
  bool is_note = false;     ///< no mistake, but somebody should know
};
/// In the order of launches, and within a launch of blocks.
const std::vector<Finding>& findings();
/// What is no mistake, or what the program is told by an error's code, and so is not among the
/// findings: stores that race, of the same value; a copy against its direction; an allocation that
/// fails; at the end of the program, memory that was never freed.
const std::vector<Finding>& notes();
/// Forgets all findings and notes so far.
void clear_findings();
/// Findings are also printed to standard error at the end of the launch, unless switched off.
void set_findings_printed(bool on);

}  // namespace simt
