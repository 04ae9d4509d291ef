#include "simt/executor/fibers/turns.h"

#include <utility>

namespace simt {
namespace {

void note_returned(Warp& warp) {
  warp.begun = warp.present;
  warp.alive = warp.ready = 0;
}

}  // namespace

void note_turns(Lane& self) {
  ThreadsInTurn& turns = *std::exchange(current.turns, nullptr);
  Lane& first = *turns.first;
  Warp& warp = *self.warp;
  for (Warp* before = first.warp; before != &warp; ++before)
    note_returned(*before);
  const unsigned returned = self.bit() - 1;
  warp.begun = warp.present & (returned | self.bit());
  warp.alive = warp.ready = warp.present & ~returned;
  warp.block->live -= self.thread - first.thread;
  self.outermost_frame = turns.frame;
  std::swap(first.stack, self.stack);
  std::swap(first.context, self.context);
  turns.last = nullptr;
}

}  // namespace simt
