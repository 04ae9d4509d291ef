/// \file
/// Threads of a launch that runs plain, each of which begins when the one before has returned.
/// What the translator makes of a launch goes from one to the next by itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/executor/index3.h"
#include "simt/executor/not_instrumented.h"

namespace simt {

struct Lane;

/// Those of a block that have not begun. Nothing is noted of a thread that returns without having
/// waited: which one runs tells all.
struct ThreadsInTurn {
  Lane** running;            ///< who runs, for the executor
  Index3* index;             ///< its threadIdx
  unsigned width;            ///< blockDim.x
  unsigned height;           ///< blockDim.y
  unsigned left;             ///< threads that have not begun; none once a thread has waited
  std::size_t lane_bytes;    ///< from a lane to the next
  Lane* first;               ///< that ran
  std::uintptr_t frame = 0;  ///< the stack frame that the executor called them from

  /// Makes the next thread the running one. False if there is none, or none that may begin yet.
  SIMT_NOT_INSTRUMENTED [[gnu::always_inline]] bool next() {
    if (left == 0) return false;
    --left;
    *running = reinterpret_cast<Lane*>(reinterpret_cast<char*>(*running) + lane_bytes);
    if (++index->x < width) return true;
    index->x = 0;
    if (++index->y < height) return true;
    index->y = 0;
    ++index->z;
    return true;
  }
};

}  // namespace simt
