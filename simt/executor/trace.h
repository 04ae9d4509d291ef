/// \file
/// Requests one by one, for pictures: which lane asked for which address. Off unless started; then
/// it keeps the first few of each place in the code and counts the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simt/executor/access_kind.h"

namespace simt {

/// What is kept of each launch.
struct TraceLimits {
  std::uint64_t blocks = 2;    ///< the first of the grid
  unsigned warps = 2;          ///< the first of each block
  std::uint64_t requests = 4;  ///< the first of each warp at each place in the code
};

/// One lane's part in a request.
struct TracedLane {
  unsigned lane = 0;         ///< within the warp
  int array = 0;             ///< index into Trace::arrays; -1 for shared memory
  std::uint64_t offset = 0;  ///< from the array's first byte, or from that of the shared memory
};

/// An access that lanes of one warp made together.
struct TracedRequest {
  std::uint64_t launch = 0;  ///< 0 for the first one since the start
  std::string kernel;        ///< as the source of the launch spells it
  std::uint64_t block = 0;   ///< within the grid, linear
  unsigned warp = 0;         ///< within the block
  std::string file;          ///< its name, without directories
  int line = 0;              ///< from 1
  AccessKind kind = {};      ///< what was accessed, and how
  unsigned bytes = 0;        ///< of each lane
  /// Which one it is of the requests that this warp made here: 1 for the first, and how many there
  /// were.
  std::uint64_t number = 0;
  std::uint64_t of = 0;           ///< see `number`
  unsigned sectors = 0;           ///< that it touches; 0 but for global memory
  unsigned wavefronts = 0;        ///< that it takes; 0 but for shared memory
  std::vector<TracedLane> lanes;  ///< ascending
};

/// Memory whose elements have one size: an allocation, a part of one, or a variable of the device.
struct TracedArray {
  const void* begin = nullptr;    ///< its first byte
  std::size_t bytes = 0;          ///< of the whole array
  std::size_t element_bytes = 1;  ///< by which its traffic is counted
};

/// By launch, block and warp; those of a warp in the order in which it made them. The same on every
/// run, for any number of workers.
struct Trace {
  std::vector<TracedArray> arrays;      ///< in the order in which the requests touch them
  std::vector<TracedRequest> requests;  ///< those within the limits
};

/// Records the launches from here on. Counting must be on.
void start_trace(const TraceLimits& limits = {});

/// Ends the recording and returns it.
Trace stop_trace();

/// "global load", "shared store" and so on.
std::string_view name_of(AccessKind kind);

}  // namespace simt
