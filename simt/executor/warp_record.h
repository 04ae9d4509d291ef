/// \file
/// What the first warps of a launch did, event by event, for a player that shows it. Off unless
/// started; docs/record.md describes the JSON that `simt run --html` makes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simt/executor/access_kind.h"

namespace simt {

/// What is kept of each launch.
struct RecordLimits {
  std::uint64_t blocks = 2;  ///< the first of the grid
  unsigned warps = 4;        ///< the first of each block
  /// Of all these warps together, of which each may have an equal share: so what is kept does not
  /// depend on which of them ran first.
  std::uint64_t events = 2000;
};

/// What a warp does.
enum class WarpEventKind : std::uint8_t {
  kAccess,    ///< lanes access memory together
  kShuffle,   ///< lanes read values of other lanes
  kVote,      ///< lanes learn what all of them answered
  kWarpSync,  ///< `__syncwarp`
  kMatrix,    ///< lanes load, multiply or store a matrix together
  kArrive,    ///< lanes come to a barrier of the block, the cluster or the grid, and wait
  kLeave,     ///< all threads have come there, and the lanes go on
  kPart,      ///< lanes go separate ways at a branch
  kRejoin,    ///< they go on together
  kReturn,    ///< lanes return from the kernel
};

/// One thing that lanes of a warp did together.
struct WarpEvent {
  WarpEventKind kind = {};  ///< which of these
  AccessKind access = {};   ///< of kAccess: to what, and how
  /// Of kShuffle, kMatrix, kArrive and kLeave: such as "__shfl_xor_sync".
  std::string_view operation;
  std::string file;         ///< its name, without directories; empty where it is not known
  int line = 0;             ///< from 1; 0 where it is not known
  std::uint32_t lanes = 0;  ///< a bit for each lane that takes part

  // Of kAccess.
  unsigned bytes = 0;       ///< of each lane
  unsigned sectors = 0;     ///< that it touches; 0 but for global memory
  unsigned wavefronts = 0;  ///< that it takes; 0 but for shared memory
  unsigned conflicts = 0;   ///< of them those beyond what the width needs
  unsigned words = 0;       ///< different ones of 4 bytes; 0 but for constant memory
  /// Of each lane that takes part, ascending: index into LaunchRecord::arrays; -1 where nothing is
  /// allocated. Empty for shared memory.
  std::vector<int> arrays;
  /// Of each lane that takes part: from the first byte of its array or of the shared memory.
  std::vector<std::uint64_t> offsets;

  /// Of kShuffle: the lane that each lane reads, for each that takes part, ascending. Of kPart: the
  /// lanes of each side, as bits. Of kArrive: the warps of the block that had not come yet.
  std::vector<std::uint32_t> others;
  std::uint32_t votes = 0;  ///< of kVote: the lanes that answered with other than 0
};

/// Memory that an access reached.
struct RecordedArray {
  const void* begin = nullptr;    ///< its first byte
  std::string name;               ///< such as "allocation of 400 bytes", or a variable's
  std::uint64_t bytes = 0;        ///< of all of it
  std::size_t element_bytes = 1;  ///< by which its traffic is counted
  std::string allocated_at;       ///< "file:line"; empty where it is not known
};

/// A variable of shared memory.
struct SharedObject {
  std::string name;          ///< as the source spells it, or "dynamic shared memory"
  std::uint64_t offset = 0;  ///< from the first byte of the block's shared memory
  std::uint64_t bytes = 0;   ///< of all of it
};

/// What one warp did.
struct RecordedWarp {
  unsigned number = 0;            ///< within the block
  std::uint32_t lanes = 0;        ///< that exist, as bits
  std::vector<WarpEvent> events;  ///< in the order of the program
  std::uint64_t left_out = 0;     ///< events after these, which the limit did not allow
};

/// The recorded warps of one block.
struct RecordedBlock {
  std::uint64_t number = 0;            ///< within the grid, linear
  unsigned warps = 0;                  ///< that it has, recorded or not
  std::vector<SharedObject> shared;    ///< by offset
  std::vector<RecordedWarp> recorded;  ///< by number
};

/// What the first warps of one launch did. The same on every run, for any number of workers.
struct LaunchRecord {
  std::vector<RecordedArray> arrays;  ///< in the order in which the events touch them
  std::vector<RecordedBlock> blocks;  ///< by number
};

/// Records the launches from here on. Counting must be on, and no launch may run.
void start_recording(const RecordLimits& limits = {});

/// Ends that. No launch may run.
void stop_recording();

/// Of the launch that ended last, and only once: the second call finds nothing. Empty where
/// recording was off, or nothing was counted.
LaunchRecord take_launch_record();

/// "shuffle", "barrier arrive" and so on; of an access "global load" and the like.
std::string_view name_of(const WarpEvent& event);

}  // namespace simt
