/// \file
/// Which functions a lane is in that were not inlined: where it has come from tells one call of a
/// function from another.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "simt/executor/log/access_log.h"

namespace simt {

/// That of a function which has not returned: where it lies on the stack, and to where it returns.
/// Two that lie in one place, one after the other, differ in where they return to, if they are two
/// calls.
class StackFrame {
 public:
  StackFrame() = default;
  /// By its address, of a function that keeps its frame pointer.
  explicit StackFrame(std::uintptr_t address)
      : address_(address), returns_to_(return_address(address)) {}

  /// Whether it is that of the function whose frame is at this address, which may be none.
  bool is_at(std::uintptr_t address) const {
    return address == address_ && return_address(address) == returns_to_;
  }
  /// Whether there is none.
  bool empty() const { return address_ == 0; }
  /// Whether it is of a function that that one has called, or whose callees have. Stacks grow down.
  bool is_within(const StackFrame& other) const { return address_ < other.address_; }
  /// An address of the caller's code.
  std::uintptr_t returns_to() const { return returns_to_; }

 private:
  static std::uintptr_t return_address(std::uintptr_t frame) {
    std::uintptr_t address;
    std::memcpy(&address, reinterpret_cast<const void*>(frame + sizeof(frame)), sizeof(address));
    return address;
  }

  std::uintptr_t address_ = 0;
  std::uintptr_t returns_to_ = 0;
};

/// The calls that one lane has not returned from.
class Calls {
 public:
  /// Whether it is in the one whose frame is at this address.
  bool are_in(std::uintptr_t frame) const { return frame_.is_at(frame); }
  /// It begins a kernel.
  void clear();
  /// It is in another one now, whose frame this is: an event for one that it has left or begun,
  /// kNoEvent for none. To be asked until it is in that one.
  Event go_towards(const StackFrame& frame);

 private:
  StackFrame frame_;
  std::vector<StackFrame> callers_;  ///< from the kernel on
};

}  // namespace simt
