/// \file
/// What one lane did since its warp was last replayed: the path that it took through the code, and
/// its memory accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/executor/access_kind.h"

namespace simt {

/// One lane's access, packed into 8 bytes because millions are kept. User addresses have 48 bits;
/// above them lie 7 bits for the size, one for volatile, and 8 for the kind.
class Access {
 public:
  Access() = default;
  /// Of user memory, or 0; of a shuffle 1 for the first of its lanes.
  constexpr Access(std::uintptr_t address, unsigned bytes, AccessKind kind,
                   bool is_volatile = false)
      : bits_(address | std::uint64_t{bytes} << 48 | std::uint64_t{is_volatile} << 55 |
              static_cast<std::uint64_t>(kind) << 56) {}

  /// The lowest address that it touches.
  std::uint64_t address() const { return bits_ & kAddressMask; }
  /// How many bytes it touches.
  unsigned bytes() const { return static_cast<unsigned>(bits_ >> 48 & 0x7f); }
  /// Whether the source says volatile.
  bool is_volatile() const { return bits_ >> 55 & 1; }
  /// What it is to.
  AccessKind kind() const { return static_cast<AccessKind>(bits_ >> 56); }
  /// Whether they differ in nothing but the address.
  bool is_like(Access other) const { return (bits_ ^ other.bits_) >> 48 == 0; }
  /// Whether they differ in nothing.
  bool operator==(const Access& other) const = default;
  /// Of accesses that are alike the distance of their addresses.
  std::uint64_t operator-(Access other) const { return bits_ - other.bits_; }

 private:
  static constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 48) - 1;
  std::uint64_t bits_;
};

/// An event on a lane's path: a basic block, an access, a call or a return, named by its place in
/// the code. Two lanes whose events are equal executed the same instruction.
using Event = std::uint32_t;

/// All lanes of the warp have met here, at an operation of the whole warp.
constexpr Event kMeetingPoint = 0;

/// How many bits of an event say what it is; the others are of its address.
constexpr unsigned kKindBits = 2;

/// The event of a basic block that begins at this address of the code.
constexpr Event basic_block_event(std::uintptr_t code_address) {
  return static_cast<Event>(code_address << kKindBits);
}
/// The event of an access by the instruction at this address of the code.
constexpr Event access_event(std::uintptr_t code_address) {
  return static_cast<Event>(code_address << kKindBits | 1);
}
/// The event of a call of a function, from where it returns to this address of the code.
constexpr Event call_event(std::uintptr_t code_address) {
  return static_cast<Event>(code_address << kKindBits | 2);
}
/// The event of a return, at this address of the function's code.
constexpr Event return_event(std::uintptr_t code_address) {
  return static_cast<Event>(code_address << kKindBits | 3);
}
/// Whether an event is an access.
constexpr bool is_access(Event event) {
  return event % (1u << kKindBits) == 1;
}
/// How many lines of source there may be that accesses are named by (called_lines.h).
constexpr std::uint32_t kMostNamedLines = 1u << 16;
/// Whether it is an access that a line of source names, and no address of code.
constexpr bool is_of_line(Event event) {
  return is_access(event) && event >> kKindBits < kMostNamedLines;
}
/// Whether it is a call.
constexpr bool is_call(Event event) {
  return event % (1u << kKindBits) == 2;
}
/// Whether it is a return.
constexpr bool is_return(Event event) {
  return event % (1u << kKindBits) == 3;
}
/// Of its address as many bits as it has kept.
constexpr std::uint32_t address_bits(Event event) {
  return event >> kKindBits;
}

/// An event has kept all of a code address but its upper bits, which it shares with any other
/// address of the same kernel's code.
std::uintptr_t code_address(Event event, std::uintptr_t near_kernel);

/// No event: the end of a path.
constexpr Event kNoEvent = ~Event{0};

/// What the lanes of a warp did in common: a path, and for each access on it a row with an access
/// of every lane.
///
/// The lane that comes first to the end of the path extends it; the others check that they do the
/// same, which costs less than to keep 32 paths and to compare them later. A lane that does
/// something else goes on in its own log.
class WarpLog {
 public:
  WarpLog();
  WarpLog(const WarpLog&) = delete;  // lanes point into it
  WarpLog& operator=(const WarpLog&) = delete;

  /// How many there are.
  std::size_t events() const { return events_; }
  /// Number `i` of them, from 0.
  Event event(std::size_t i) const { return path_[i]; }
  /// All of them; kNoEvent stands behind the last.
  const Event* path() const { return path_.data(); }
  /// The accesses of all lanes at the access event that so many others precede.
  const Access* row(std::size_t access) const { return accesses_.data() + access * kLanes; }
  /// The same, to write to.
  Access* row(std::size_t access) { return accesses_.data() + access * kLanes; }

  /// Whether another event has room. Beyond full() there is some, for one event of each lane.
  bool has_room() const { return events_ < kEvents + kSpareEvents; }
  /// Whether it must be replayed before more is added.
  bool full() const { return events_ >= limit_; }
  /// Adds an event; there must be room.
  void extend(Event event) {
    path_[events_++] = event;
    path_[events_] = kNoEvent;
  }

  /// Lets the next lane that extends the path find the log full, whenever that is: only reset()
  /// undoes it. May be called by a signal handler.
  void seem_full() { limit_ = 0; }
  /// Forgets everything; keeps the memory.
  void clear() {
    path_[0] = kNoEvent;
    events_ = 0;
  }
  /// Forgets the first events, of which `accesses` are accesses.
  void drop_front(std::size_t events, std::size_t accesses);
  /// Makes the log empty, with the capacity that it began with, whatever a test has made of it.
  void reset() {
    clear();
    limit_ = kEvents;
  }

  static constexpr std::size_t kLanes = 32;  ///< of a warp
  // Half a megabyte of accesses: they stay in the second-level cache.
  static constexpr std::size_t kEvents = 2048;  ///< of the path before it is replayed

 private:
  static constexpr std::size_t kSpareEvents = 64;

  std::size_t events_ = 0;
  std::size_t limit_ = kEvents;
  std::vector<Event> path_;  ///< ends with kNoEvent
  std::vector<Access> accesses_;
};

/// What one lane did: it follows the path of its warp as far as it can, and keeps what comes after
/// in a log of its own. There, the accesses lie in the order of the access events on the path.
class LaneLog {
 public:
  LaneLog() = default;
  /// The log of lane number `lane` of this warp, whose path it follows from the beginning.
  LaneLog(WarpLog& warp, unsigned lane) : warp_(&warp), lane_(lane) { follow(); }

  /// What nearly always happens: the lane does what others of its warp did before. Return false,
  /// and change nothing, when it does not.
  bool repeat(Event event) {
    if (*expected_ != event) return false;
    ++expected_;
    return true;
  }
  /// The same of an access event, whose access it keeps.
  bool repeat(Event event, Access access) {
    if (!repeat(event)) return false;
    *cell_ = access;
    cell_ += WarpLog::kLanes;
    return true;
  }
  /// Anything else. Returns false when that was the last event that fits.
  bool add(Event event, Access access = {});

  /// Whether it has done only what is on the path of its warp.
  bool follows() const { return follows_; }
  /// On the path of the warp.
  std::size_t common_events() const {
    return follows_ ? static_cast<std::size_t>(expected_ - warp_->path()) : common_events_;
  }
  /// Those of common_events() that are accesses.
  std::size_t common_accesses() const;

  /// How many accesses it keeps, on the path of the warp and in its own log.
  std::size_t accesses_kept() const { return common_accesses() + accesses_.size(); }

  /// Of its own log.
  const Event* path() const { return path_.data(); }
  /// In the order of the access events on path().
  const Access* accesses() const { return accesses_.data(); }
  /// Of its own log.
  std::size_t events() const { return path_.size(); }

  /// On the path of the warp and of its own log.
  std::size_t all_events() const { return common_events() + events(); }

  /// Whether it did nothing.
  bool empty() const { return all_events() == 0; }
  /// Whether it must be replayed before more is added.
  bool full() const { return follows_ ? warp_->full() : path_.size() >= limit_; }
  /// Whether its latest accesses, `count` or more, are a few over and over again, with no store
  /// among them.
  bool repeats_itself(std::size_t count) const;

  /// The latest, of a log that is not empty.
  Event last_event() const;

  /// Lets the next event find the log full. May be called by a signal handler.
  void seem_full();
  /// Starts at the beginning of the warp's path, with an empty log.
  void follow();
  /// Makes a log as new of one that was left in the middle of a kernel.
  void reset();

  /// The warp has dropped the front of its path.
  void move_back(std::size_t events, std::size_t accesses);
  /// Goes on in its own log, and takes what it did on the warp's path there, but for the first
  /// events, of which `accesses` are accesses.
  void leave(std::size_t events, std::size_t accesses);
  /// Forgets the first events of its own log, of which `accesses` are accesses; makes room if what
  /// remains is more than half.
  void drop_front(std::size_t events, std::size_t accesses);

  /// The log of a lane that runs on by itself is not kept for ever.
  static constexpr std::size_t kMaxEvents = std::size_t{1} << 22;

 private:
  static constexpr Event kNowhere = kNoEvent;

  Access access(std::size_t i) const;
  bool stores_nothing_since(std::size_t access) const;

  const Event* expected_ = &kNowhere;  ///< what it does next if it goes on like the warp
  Access* cell_ = nullptr;             ///< for its next access on the warp's path
  WarpLog* warp_ = nullptr;
  unsigned lane_ = 0;
  bool follows_ = false;
  std::size_t common_events_ = 0;  ///< when it went its own way
  std::size_t common_accesses_ = 0;
  std::size_t limit_ = WarpLog::kEvents;
  std::vector<Event> path_;
  std::vector<Access> accesses_;
};

}  // namespace simt
