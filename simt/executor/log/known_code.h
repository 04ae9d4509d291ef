/// \file
/// The functions that lanes were in, as far as anybody has asked about them, and where in them a
/// warp is.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simt/executor/log/code_flow.h"
#include "simt/executor/log/machine_code.h"

namespace simt {

/// A basic block of a function that was read.
struct FlowPlace {
  const CodeFlow* flow = nullptr;  ///< null if its code is not known
  BlockNumber block = kNoBlock;    ///< of the flow
  /// Whether they are the same.
  bool operator==(const FlowPlace&) const = default;
};

/// Blocks of which one is the first of the function that lanes are in, most likely the first of
/// these: what launches a kernel may stand before it. kNoEvent where there are fewer.
using Entries = std::array<Event, 4>;
/// None of them is known.
constexpr Entries kNoEntries = {kNoEvent, kNoEvent, kNoEvent, kNoEvent};

/// Which functions a warp is in that were not inlined, and which basic block it has come to last in
/// each.
class Whereabouts {
 public:
  /// One of them.
  struct Activation {
    Entries entries = kNoEntries;  ///< of the function
    Event block = kNoEvent;        ///< the last one, if it is known
  };

  /// It begins a kernel.
  void clear() { activations_.assign(1, {}); }
  /// It goes on.
  void pass(Event event) {
    if (!is_access(event) && event != kMeetingPoint) go_on(event);
  }
  /// The function it is in comes last.
  const std::vector<Activation>& activations() const { return activations_; }

 private:
  void go_on(Event event);

  std::vector<Activation> activations_ = {{}};
};

/// What a worker knows of functions: it has their code read when it is first asked about them. To
/// look something up, it waits for no other worker.
class KnownCode {
 public:
  /// Forgets code that may have been unloaded since the launch before.
  void begin_launch();
  /// A block of a function that begins with one of these; all lie near this address of the code.
  FlowPlace place_of(Event block, const Entries& entries, std::uintptr_t near_kernel);
  /// Whether it can: else it must learn.
  static bool reads_code() { return reads_machine_code; }
  /// Learns the ways that a lane has taken from where it was.
  void learn(const Whereabouts& from, const Event* begin, const Event* end);
  /// It has learned all.
  void end_learning();
  /// The function that an access stands in, null if that is not known.
  const CodeFlow* function_of(Event access) const {
    const auto found = functions_.find(access);
    return found == functions_.end() ? nullptr : found->second;
  }

 private:
  void read(Event entry, std::uintptr_t near_kernel);
  void add_places(const CodeFlow& flow);
  CodeFlow& function_from(Event first);

  std::vector<std::shared_ptr<const CodeFlow>> read_;
  std::uint64_t unloaded_ = 0;                    // libraries, when the first of them was read
  std::deque<CodeFlow> flows_;                    // that are learned
  std::unordered_map<Event, CodeFlow*> learned_;  // by the first block
  std::unordered_map<Event, FlowPlace> places_;
  std::unordered_map<Event, const CodeFlow*> functions_;  // by access
};

}  // namespace simt
