/// \file
/// Threads of a launch that runs plain, each of which begins when the one before has returned.
#pragma once

#include "simt/executor/fibers/block.h"
#include "simt/executor/fibers/current.h"
#include "simt/executor/threads_in_turn.h"

namespace simt {

/// Writes down what nobody noted while threads took turns: that those before the running lane have
/// returned, and that it runs on the stack of the first. Threads no longer take turns from then on.
void note_turns(Lane& self);

/// To be called by a lane before it changes or shows how far its warp has come, such as one that is
/// about to wait.
inline void end_turns(Lane& self) {
  if (current.turns != nullptr) [[unlikely]]
    note_turns(self);
}

}  // namespace simt
