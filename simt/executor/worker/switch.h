/// \file
/// From one thread of a block to the next.
///
/// A lane that must wait switches straight to the next ready lane of its warp: a rendezvous costs
/// one switch a lane. Only when no lane of the warp is ready does control return to the scheduler,
/// on the worker's own stack, which replays the warp's log and goes on with the next warp.
#pragma once

#include <bit>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>

#include "simt/executor/fibers/fiber_annotations.h"
#include "simt/executor/worker/worker.h"
#include "simt/executor/writable_thread_index.h"

namespace simt {

// Measured with Boost 1.74 on an AMD EPYC, a switch there and back between two fibers: 10 ns with
// jump_fcontext, 14 ns with the public boost::context::fiber, which can only switch from any fiber
// to any other through resume_with. Hence the former, although it lives in `detail`.
//
// Each return on another stack than the call is mispredicted by the processor. Hence these
// functions are inline, and where many lanes meet the jump is the last instruction (executor.h).

namespace context = boost::context::detail;

/// jump_fcontext, which returns Boost's transfer_t: here under a name for which kernels need none
/// of Boost's headers.
[[gnu::always_inline]] inline Handover jump(context::fcontext_t to, context::fcontext_t& kept_in) {
  static_assert(sizeof(Handover) == sizeof(context::transfer_t));
  using Jump = Handover (*)(context::fcontext_t, void*);
  const auto function = reinterpret_cast<void (*)()>(&context::jump_fcontext);
  return reinterpret_cast<Jump>(function)(to, &kept_in);
}

/// Keeps the context of the one that has just jumped here, at the address that it passed along.
inline void keep_context_of_caller(Handover caller) {
  end_switch();
  *static_cast<context::fcontext_t*>(caller.kept_in) = caller.context;
}

/// Where `next` goes on, when the caller jumps there.
inline context::fcontext_t turn_to(Lane& next) {
  current.lane = &next;
  threadIdx = next.index;
  announce_switch_to_fiber(next.stack, FiberStacks::kUsableBytes);
  return next.context;
}

/// Lanes take turns: the next is the first ready one with a higher number, else the first of all.
inline Lane& next_ready(const Warp& warp, unsigned after) {
  const unsigned higher = warp.ready & ~((2u << after) - 1);
  return warp.lanes[std::countr_zero(higher != 0 ? higher : warp.ready)];
}

/// Where others go on that run until `self`, which is not ready, is.
[[gnu::always_inline]] inline context::fcontext_t turn_to_others(Lane& self) {
  const Warp& warp = *self.warp;
  if (warp.ready == 0) [[unlikely]] {
    announce_switch_to_thread();
    return worker_of(self).scheduler;
  }
  Lane& next = next_ready(warp, self.number);
  if (current.log != nullptr) current.log = next.log;
  __builtin_prefetch((&next)[1].context);  // most often the one after it
  return turn_to(next);
}

/// Called by a lane that is not ready: runs others until it is.
inline void run_others(Lane& self) {
  keep_context_of_caller(jump(turn_to_others(self), self.context));
}

}  // namespace simt
