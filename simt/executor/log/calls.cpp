#include "simt/executor/log/calls.h"

namespace simt {

void Calls::clear() {
  frame_ = {};
  callers_.clear();
}

Event Calls::go_towards(const StackFrame& frame) {
  const StackFrame before = frame_;
  if (before.empty()) {  // the kernel, which nobody calls twice
    frame_ = frame;
    return kNoEvent;
  }
  if (frame.is_within(before)) {
    callers_.push_back(before);
    frame_ = frame;
    return call_event(frame.returns_to());
  }
  frame_ = callers_.empty() ? frame : callers_.back();
  if (callers_.empty()) return kNoEvent;
  callers_.pop_back();
  return return_event(before.returns_to());
}

}  // namespace simt
