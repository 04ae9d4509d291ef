/// \file
/// Which functions a lane is in that were not inlined: where it has come from tells one call of a
/// function from another.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "simt/executor/log/access_log.h"

namespace simt {

/// That of a function which has not returned: where it lies, and to where it returns. Two that lie
/// in one place, one after the other, differ in where they return to, if they are two calls.
class StackFrame {
 public:
  StackFrame() = default;
  /// By its address, of a function that keeps its frame pointer.
  explicit StackFrame(std::uintptr_t address) : address_(address) {
    std::memcpy(&returns_to_, reinterpret_cast<const void*>(address + sizeof(address)),
                sizeof(returns_to_));
  }
  /// Whether it is of the same call.
  bool operator==(const StackFrame&) const = default;
  /// Whether it is of a function that that one has called, or whose callees have. Stacks grow down.
  bool is_within(const StackFrame& other) const { return is_within(other.address_); }
  /// The same of a frame at this address.
  bool is_within(std::uintptr_t other) const { return address_ < other; }
  /// An address of the caller's code.
  std::uintptr_t returns_to() const { return returns_to_; }

 private:
  std::uintptr_t address_ = 0;
  std::uintptr_t returns_to_ = 0;
};

/// The calls that one lane has not returned from.
class Calls {
 public:
  /// Whether it is in this one.
  bool are_in(const StackFrame& frame) const { return frame_ == frame; }
  /// It begins a kernel.
  void clear();
  /// It is in another one now: an event for one that it has left or begun, kNoEvent for none. To be
  /// asked until it is in `frame`.
  Event go_towards(const StackFrame& frame);

 private:
  StackFrame frame_;
  std::vector<StackFrame> callers_;  ///< from the kernel on
};

}  // namespace simt
