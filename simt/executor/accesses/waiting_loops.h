/// \file
/// Loops in which a thread looks at memory until another has changed it: one of another warp, of
/// another block, or of another device. Threads of a block take turns, so such a loop must give
/// way, or those that it waits for would never run.
#pragma once

#include "simt/executor/fibers/block.h"
#include "simt/executor/fibers/current.h"

namespace simt {

/// A loop gives way after so many looks.
constexpr unsigned kLooksOfLoop = 64;

/// Lets others run if the lane does in a loop what it did before, and changes nothing.
void give_way_in_loop(Lane& self);

/// Lets others run.
void give_way(Lane& self);

/// The running lane has looked in vain whether a barrier has let it pass: no access tells of that.
inline void note_look_in_vain() {
  Lane& lane = *current.lane;
  if (++lane.looks < kLooksOfLoop) return;
  lane.looks = 0;
  give_way(lane);
}

/// The running lane is about to look at memory that others may change while it runs: it loads what
/// is volatile, or operates atomically.
inline void note_look() {
  Lane* const lane = current.lane;
  if (lane == nullptr || ++lane->looks < kLooksOfLoop) return;
  lane->looks = 0;
  give_way_in_loop(*lane);
}

}  // namespace simt
