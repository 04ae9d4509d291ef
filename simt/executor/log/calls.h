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
/// calls. Packed into 8 bytes, since each basic block compares them: of both addresses the lower
/// half, as all frames of a lane are on one stack.
class StackFrame {
 public:
  StackFrame() = default;
  /// By its address, of a function that keeps its frame pointer.
  explicit StackFrame(std::uintptr_t address) {
    std::uintptr_t returns_to;
    std::memcpy(&returns_to, reinterpret_cast<const void*>(address + sizeof(address)),
                sizeof(returns_to));
    bits_ = std::uint64_t{returns_to} << 32 | static_cast<std::uint32_t>(address);
  }
  /// Whether it is of the same call.
  bool operator==(const StackFrame&) const = default;
  /// Whether it is of a function that that one has called, or whose callees have. Stacks grow down.
  bool is_within(const StackFrame& other) const { return is_within(other.bits_); }
  /// The same of a frame at this address.
  bool is_within(std::uintptr_t other) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits_ - other)) < 0;
  }
  /// An address of the caller's code, but for its upper half.
  std::uintptr_t returns_to() const { return bits_ >> 32; }

 private:
  std::uint64_t bits_ = 0;
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
