/// \file
/// What one lane did since its warp was last replayed: the path that it took through the code, and
/// its memory accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simt {

enum class AccessKind : std::uint8_t {
  kGlobalLoad,
  kGlobalStore,
  kGlobalAtomic,
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kConstantLoad,
  kDistributed,  ///< the shared memory of another block of the cluster
  kFence,        ///< no access: makes those before it visible to other blocks
  kMeeting,      ///< an atomic operation on memory whose traffic is not counted
};

/// One lane's access, packed into 8 bytes because millions are kept. User addresses have 48 bits;
/// above them lie 7 bits for the size, one for volatile, and 8 for the kind.
class Access {
 public:
  Access() = default;
  constexpr Access(std::uintptr_t address, unsigned bytes, AccessKind kind,
                   bool is_volatile = false)
      : bits_((address & kAddressMask) | std::uint64_t{bytes} << 48 |
              std::uint64_t{is_volatile} << 55 | static_cast<std::uint64_t>(kind) << 56) {}

  std::uint64_t address() const { return bits_ & kAddressMask; }
  unsigned bytes() const { return static_cast<unsigned>(bits_ >> 48 & 0x7f); }
  bool is_volatile() const { return bits_ >> 55 & 1; }
  AccessKind kind() const { return static_cast<AccessKind>(bits_ >> 56); }
  /// Whether they differ in nothing but the address.
  bool is_like(Access other) const { return (bits_ ^ other.bits_) >> 48 == 0; }
  /// Of accesses that are alike the distance of their addresses.
  std::uint64_t operator-(Access other) const { return bits_ - other.bits_; }

 private:
  static constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 48) - 1;
  std::uint64_t bits_;
};

/// An event on a lane's path: a basic block or an access, named by its place in the code. Two lanes
/// whose events are equal executed the same instruction.
using Event = std::uint32_t;

/// All lanes of the warp have met here, at an operation of the whole warp.
constexpr Event kMeetingPoint = 0;

constexpr Event basic_block_event(std::uintptr_t code_address) {
  return static_cast<Event>(code_address << 1);
}
constexpr Event access_event(std::uintptr_t code_address) {
  return static_cast<Event>(code_address << 1 | 1);
}
constexpr bool is_access(Event event) {
  return event & 1;
}

/// An event has kept all of a code address but its upper bits, which it shares with any other
/// address of the same kernel's code.
std::uintptr_t code_address(Event event, std::uintptr_t near_kernel);

/// The accesses lie in the order of the access events on the path.
class LaneLog {
 public:
  LaneLog() { grow(kInitialEvents); }

  /// Return false when that was the last event that fits.
  bool add_basic_block(std::uintptr_t code_address) { return add(basic_block_event(code_address)); }
  bool add_access(std::uintptr_t code_address, Access access) {
    *access_end_++ = access;
    return add(access_event(code_address));
  }
  /// May overrun the limit that the other two report, by up to kSpareEvents.
  void add_meeting_point() { *path_end_++ = kMeetingPoint; }

  const Event* path() const { return path_.data(); }
  const Access* accesses() const { return accesses_.data(); }
  /// The log of a lane that runs on by itself is not kept for ever.
  static constexpr std::size_t kMaxEvents = std::size_t{1} << 22;
  std::size_t events() const { return static_cast<std::size_t>(path_end_ - path_.data()); }
  bool empty() const { return path_end_ == path_.data(); }
  bool full() const { return path_end_ >= path_limit_; }
  /// Lets the next event find the log full. May be called by a signal handler.
  void seem_full() { path_limit_ = path_.data(); }
  /// Makes a log as new of one that was left in the middle of a kernel.
  void reset() {
    clear();
    path_limit_ = path_.data() + (path_.size() - kSpareEvents);
  }
  void clear() {
    path_end_ = path_.data();
    access_end_ = accesses_.data();
  }

  /// Forgets the first events, of which `accesses` are accesses; makes room if what remains is more
  /// than half.
  void drop_front(std::size_t events, std::size_t accesses);

 private:
  // A megabyte for a warp's 32 logs: they stay in the second-level cache.
  static constexpr std::size_t kInitialEvents = 2048;
  static constexpr std::size_t kSpareEvents = 64;

  bool add(Event event) {
    *path_end_++ = event;
    return path_end_ < path_limit_;
  }
  void grow(std::size_t capacity);

  Event* path_end_ = nullptr;
  Event* path_limit_ = nullptr;
  Access* access_end_ = nullptr;
  std::vector<Event> path_;
  std::vector<Access> accesses_;
};

}  // namespace simt
