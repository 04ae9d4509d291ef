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
  Lane* last;                ///< that may begin so; null once one has waited
  std::size_t lane_bytes;    ///< from a lane to the next
  Lane* first;               ///< that ran
  std::uintptr_t frame = 0;  ///< the stack frame that the executor called them from
};

/// Goes from thread to thread. What it needs for each it has in registers.
class Turn {
 public:
  /// Of the running thread.
  [[gnu::always_inline]] SIMT_NOT_INSTRUMENTED explicit Turn(ThreadsInTurn& turns)
      : turns_(turns), lane_(*turns.running), x_(turns.index->x) {}

  /// Makes the next thread the running one. False if there is none, or none that may begin yet.
  [[gnu::always_inline]] SIMT_NOT_INSTRUMENTED bool next() {
    if (lane_ >= turns_.last) return false;
    lane_ = reinterpret_cast<Lane*>(reinterpret_cast<char*>(lane_) + turns_.lane_bytes);
    *turns_.running = lane_;
    if (++x_ == turns_.width) begin_row();
    turns_.index->x = x_;
    return true;
  }

 private:
  [[gnu::always_inline]] SIMT_NOT_INSTRUMENTED void begin_row() {
    x_ = 0;
    Index3& index = *turns_.index;
    if (++index.y < turns_.height) return;
    index.y = 0;
    ++index.z;
  }

  ThreadsInTurn& turns_;
  Lane* lane_;
  unsigned x_;
};

}  // namespace simt
