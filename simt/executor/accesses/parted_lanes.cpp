#include "simt/executor/accesses/parted_lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace simt {
namespace {

// Those who stand together are a group. Where its lanes part, a frame says where they meet again,
// and each goes on until it comes there or to one that an earlier frame has named, as lanes do that
// leave a loop. Once nobody is on the way any more, those who have come are a group again. So are
// those who come to an operation of all lanes that have not returned by then.
class PartedLanes {
 public:
  PartedLanes(const Audience& audience, KnownCode& code, std::uintptr_t near_kernel,
              Cursors& cursors)
      : audience_(audience), code_(code), near_kernel_(near_kernel), cursors_(cursors) {}

  // They stand where `last`, which all of them took, has led them.
  void take_all(const Whereabouts& where, Event last) {
    begin_at(where);
    const Mask all = ~Mask{0} >> (kWarpSize - cursors_.count);
    if (const Mask group = move_on(all, last); group != 0) on_their_way_.push_back(group);
    for (;;) {
      if (!freed_.empty()) {
        const Mask group = freed_.back();
        freed_.pop_back();
        if (const Mask together = move_on(group, kMeetingPoint)) go(together);
      } else if (on_their_way_.size() > frames_.back().first_on_its_way) {
        const Mask group = on_their_way_.back();
        on_their_way_.pop_back();
        go(group);
      } else if (frames_.size() > 1) {
        const Frame last = frames_.back();
        frames_.pop_back();
        // Behind a return they may have parted already.
        const bool has_returned = last.place.block == kNoBlock;
        const Mask group = has_returned ? move_on(last.met, kMeetingPoint) : last.met;
        if (group != 0) on_their_way_.push_back(group);
      } else {
        return;
      }
    }
  }

 private:
  // A bit for each cursor.
  using Mask = std::uint32_t;

  // A function that lanes are in.
  struct Activation {
    Activation* caller;  // null if that is not known
    int depth;           // of calls, from where the lanes parted
    Entries entries;     // of the function
    Event called_from;   // the caller's block
  };
  // Where a cursor is.
  struct Spot {
    Activation* in;
    Event block;
  };
  // Where lanes meet: at the beginning of a block, or behind the return if there is none.
  struct Frame {
    int depth;
    FlowPlace place;
    std::size_t first_on_its_way;  // of the groups that are
    Mask met;                      // those who have come
  };

  template <typename Do>
  static void for_each(Mask cursors, Do what) {
    for (; cursors != 0; cursors &= cursors - 1)
      what(static_cast<unsigned>(std::countr_zero(cursors)));
  }
  static unsigned any_of(Mask group) { return static_cast<unsigned>(std::countr_zero(group)); }

  void begin_at(const Whereabouts& where) {
    frames_.assign(1, {kNowhere, {}, 0, 0});
    Activation* caller = nullptr;
    int depth = 1 - static_cast<int>(where.activations().size());
    Event called_from = kNoEvent;
    for (const Whereabouts::Activation& each : where.activations()) {
      caller = &activations_.emplace_back(Activation{caller, depth++, each.entries, called_from});
      called_from = each.block;
      enter_loops(*caller, kNoEvent, each.block);
    }
    spots_.fill({caller, called_from});
  }

  FlowPlace place_of(const Activation& in, Event block) {
    return code_.place_of(block, in.entries, near_kernel_);
  }

  void push_frame(int depth, FlowPlace place) {
    const bool is_known = std::any_of(frames_.begin(), frames_.end(), [=](const Frame& frame) {
      return frame.depth == depth && frame.place == place;
    });
    if (!is_known) frames_.push_back({depth, place, on_their_way_.size(), 0});
  }
  void push_frame(const Activation& in, const CodeFlow& flow, MeetingPlace place) {
    if (place.block == kNoBlock) {
      push_frame(in.depth - 1, {});
    } else {
      push_frame(in.depth, {&flow, place.block});
    }
  }

  // Lanes that go from one block to another wait for each other behind the loops which begin there.
  void enter_loops(const Activation& in, Event from, Event to) {
    const FlowPlace place = place_of(in, to);
    if (place.flow == nullptr || place.flow->loop_of(place.block) == 0) return;
    const FlowPlace before = place_of(in, from);
    for (const MeetingPlace meeting : place.flow->loops_entered(
             before.flow == place.flow ? before.block : kNoBlock, place.block))
      push_frame(in, *place.flow, meeting);
  }

  // Takes lanes that stand together as far as they stay so.
  void go(Mask group) {
    while (group != 0) {
      const Event event = *cursors_.of[any_of(group)].at;
      rejoin(group, event);
      if (!is_access(event)) come_to(group, event);
      count(group, event);
      group = move_on(group, event);
    }
  }

  // A block, a call, or a return.
  void come_to(Mask group, Event event) {
    Spot spot = spots_[any_of(group)];
    if (is_call(event)) {
      Activation& callee = activations_.emplace_back(
          Activation{spot.in, spot.in->depth + 1, kNoEntries, spot.block});
      spot = {&callee, kNoEvent};
    } else if (is_return(event)) {
      if ((group & returned_) != 0) return;
      spot = behind_return(spot);
    } else {
      if (spot.block == kNoEvent) {
        spot.in = entered(*spot.in, event);
        forget_meetings_of_callers(*spot.in, event);
      }
      enter_loops(*spot.in, spot.block, event);
      spot.block = event;
    }
    for_each(group, [&](unsigned i) { spots_[i] = spot; });
  }

  Spot behind_return(const Spot& spot) {
    const Activation& left = *spot.in;
    Activation* caller = left.caller;
    if (caller == nullptr)
      caller =
          &activations_.emplace_back(Activation{nullptr, left.depth - 1, kNoEntries, kNoEvent});
    return {caller, left.called_from};
  }

  // A return is noticed where the caller's next block begins. Accesses that come before it tell
  // that they are not the callee's.
  bool notice_return(Mask group, Event event) {
    const Spot& spot = spots_[any_of(group)];
    if (!is_access(event) || spot.in->caller == nullptr || (group & returned_) != 0) return false;
    const CodeFlow* const function = code_.function_of(event);
    const Spot caller = behind_return(spot);
    if (function == nullptr || function == place_of(*spot.in, spot.block).flow) return false;
    if (function != place_of(*caller.in, caller.block).flow) return false;
    returned_ |= group;
    for_each(group, [&](unsigned i) { spots_[i] = caller; });
    return true;
  }

  // A function that calls itself saves and clears the registers by which its callers' lanes would
  // have met: whoever waits there goes on.
  void forget_meetings_of_callers(const Activation& in, Event entry) {
    const CodeFlow* const flow = place_of(in, entry).flow;
    if (flow == nullptr) return;
    for (const Activation* caller = in.caller; caller != nullptr; caller = caller->caller) {
      if (caller->entries[0] != entry) continue;
      for (std::size_t i = 1; i < frames_.size(); ++i) {
        Frame& frame = frames_[i];
        if (frame.depth < caller->depth - 1 || frame.depth >= in.depth) continue;
        if (frame.met != 0) freed_.push_back(frame.met);
        frame.met = 0;
      }
    }
  }

  // The function that begins with this block: lanes that a pointer has led apart share a call.
  Activation* entered(Activation& in, Event entry) {
    if (in.entries[0] == entry) return &in;
    if (in.entries[0] == kNoEvent) {
      in.entries[0] = entry;
      return &in;
    }
    return &activations_.emplace_back(
        Activation{in.caller, in.depth, {entry, kNoEvent, kNoEvent, kNoEvent}, in.called_from});
  }

  // They have taken `last`: finds out who goes on how. Returns those who stay together, if all do.
  Mask move_on(Mask group, Event last) {
    std::array<Event, kWarpSize> events;
    std::array<Mask, kWarpSize> sides;
    unsigned count = 0;
    for_each(group, [&](unsigned i) {
      const Cursor& cursor = cursors_.of[i];
      if (cursor.at == cursor.end) return;
      unsigned side = 0;
      while (side < count && events[side] != *cursor.at)
        ++side;
      if (side == count) {
        events[count] = *cursor.at;
        sides[count++] = 0;
      }
      sides[side] |= Mask{1} << i;
    });
    if (count == 0) return 0;
    if (count > 1) {
      name_meetings(spots_[any_of(group)], last);
      part(last != kMeetingPoint ? last : events[0], {sides.data(), count});
    }
    const bool has_returned = is_return(last) && (group & returned_) == 0;
    if (is_return(last)) returned_ &= ~group;
    for (unsigned side = count; side-- > 0;) {
      if (meets_at(sides[side], events[side], has_returned)) {
        sides[side] = 0;
      } else if (count > 1) {
        on_their_way_.push_back(sides[side]);
      }
    }
    return count == 1 ? sides[0] : 0;
  }

  // Where those meet again who part behind this event.
  void name_meetings(const Spot& spot, Event last) {
    // Those who return from a function wait for the others there, as nobody does who leaves a
    // kernel.
    if (spot.in->caller != nullptr) push_frame(spot.in->depth - 1, {});
    if (is_call(last)) return;
    const FlowPlace place = place_of(*spot.in, spot.block);
    if (place.flow == nullptr) return;
    for (const MeetingPlace meeting : place.flow->meetings_of(place.block))
      push_frame(*spot.in, *place.flow, meeting);
  }

  bool meets_in(Mask side, int depth, FlowPlace place) {
    const auto frame = std::find_if(frames_.rbegin(), frames_.rend(), [=](const Frame& each) {
      return each.depth == depth && each.place == place;
    });
    if (frame == frames_.rend()) return false;
    frame->met |= side;
    return true;
  }
  // Behind a return, at an operation, at a block, or where a loop begins before it.
  bool meets_at(Mask side, Event event, bool has_returned) {
    has_returned |= notice_return(side, event);
    const Spot& spot = spots_[any_of(side)];
    if (has_returned && meets_in(side, spot.in->depth, {})) return true;
    if (event == kMeetingPoint) {
      wait_for_operation(side);
      return true;
    }
    if (is_access(event) || is_call(event) || is_return(event)) return false;
    const FlowPlace place = place_of(*spot.in, event);
    if (place.flow == nullptr) return false;
    const FlowPlace from = place_of(*spot.in, spot.block);
    BlockNumber at =
        place.flow->first_between(from.flow == place.flow ? from.block : kNoBlock, place.block);
    for (; at != place.block; at = place.flow->after(at))
      if (meets_in(side, spot.in->depth, {place.flow, at})) return true;
    return meets_in(side, spot.in->depth, place);
  }

  // All take part who had not returned by then, and so those who come to such an operation at all,
  // now or later. The last to come lets all of them go on, unless nobody else is left.
  void wait_for_operation(Mask side) {
    if (taking_part_ == 0) find_who_takes_part();
    at_operation_ |= side;
    if (at_operation_ != taking_part_) return;
    const Mask met = std::exchange(at_operation_, 0);
    for_each(met, [&](unsigned i) {
      Cursor& cursor = cursors_.of[i];
      if (cursor.at == last_operations_[i]) taking_part_ &= ~(Mask{1} << i);
      ++cursor.at;
    });
    if (audience_.recorded != nullptr) [[unlikely]]
      audience_.recorded->pass_meetings(1);
    if (!have_all_ended_but(met)) freed_.push_back(met);
  }
  void find_who_takes_part() {
    for (unsigned i = 0; i < cursors_.count; ++i) {
      const Cursor& cursor = cursors_.of[i];
      const Event* last = cursor.end;
      while (last != cursor.at && last[-1] != kMeetingPoint)
        --last;
      if (last == cursor.at) continue;
      last_operations_[i] = last - 1;
      taking_part_ |= Mask{1} << i;
    }
  }
  bool have_all_ended_but(Mask these) const {
    for (unsigned i = 0; i < cursors_.count; ++i) {
      const Cursor& cursor = cursors_.of[i];
      if ((these >> i & 1) == 0 && cursor.at != cursor.end) return false;
    }
    return true;
  }

  // All of them take the event before which they stand.
  void count(Mask group, Event event) {
    if (group != requested_) {
      requested_ = group;
      request_.count = 0;
      for_each(group, [&](unsigned i) {
        members_[request_.count] = static_cast<std::uint8_t>(i);
        request_.lanes[request_.count++] = static_cast<std::uint8_t>(cursors_.of[i].lane);
      });
    }
    const bool accesses = is_access(event);
    if (accesses) {
      request_.site = event;
      count_access(audience_, request_, request_.count,
                   [&](unsigned k) { return cursors_.of[members_[k]].access_ahead(0); });
    }
    for (unsigned k = 0; k < request_.count; ++k)
      cursors_.of[members_[k]].go(1, accesses);
  }

  // Some take a way of their own.
  void part(Event place, std::span<const Mask> sides) {
    audience_.tally.add_divergence(place);
    if (audience_.recorded == nullptr) [[likely]]
      return;
    Mask all = 0;
    for (const Mask side : sides)
      all |= side;
    const std::size_t parted = audience_.recorded->part(place, lanes_of(all));
    for (const Mask side : sides) {
      audience_.recorded->add_side(parted, lanes_of(side));
      ++ways_;
      for_each(side, [&](unsigned i) { way_[i] = ways_; });
    }
  }
  // And meet again.
  void rejoin(Mask group, Event event) {
    if (audience_.recorded == nullptr) [[likely]]
      return;
    const unsigned way = way_[static_cast<unsigned>(std::countr_zero(group))];
    bool are_of_one = true;
    for_each(group, [&](unsigned i) { are_of_one &= way_[i] == way; });
    if (are_of_one) return;
    audience_.recorded->rejoin(event, lanes_of(group));
    for_each(group, [&](unsigned i) { way_[i] = way; });
  }
  std::uint32_t lanes_of(Mask group) const {
    std::uint32_t lanes = 0;
    for_each(group, [&](unsigned i) { lanes |= std::uint32_t{1} << cursors_.of[i].lane; });
    return lanes;
  }

  static constexpr int kNowhere = 1 << 30;

  const Audience& audience_;
  KnownCode& code_;
  const std::uintptr_t near_kernel_;
  Cursors& cursors_;
  std::deque<Activation> activations_;
  std::array<Spot, kWarpSize> spots_ = {};
  std::vector<Frame> frames_;
  std::vector<Mask> on_their_way_;
  std::vector<Mask> freed_;
  Mask returned_ = 0;      // before their return was noticed
  Mask at_operation_ = 0;  // where they wait for all others of these:
  Mask taking_part_ = 0;   // those with operations ahead; 0 before anybody has come to one
  std::array<const Event*, kWarpSize> last_operations_ = {};
  Request request_;
  std::array<std::uint8_t, kWarpSize> members_;
  Mask requested_ = 0;
  std::array<unsigned, kWarpSize> way_ = {};  // of those that were told to the record
  unsigned ways_ = 0;
};

}  // namespace

void take_parted(const Audience& audience, Worker& worker, Cursors& cursors, Event last) {
  const auto near_kernel = reinterpret_cast<std::uintptr_t>(worker.launch->body);
  if (KnownCode::reads_code()) {
    PartedLanes(audience, worker.code, near_kernel, cursors).take_all(audience.where, last);
    return;
  }
  KnownCode taken;
  for (unsigned i = 0; i < cursors.count; ++i)
    taken.learn(audience.where, cursors.of[i].at, cursors.of[i].end);
  taken.end_learning();
  PartedLanes(audience, taken, near_kernel, cursors).take_all(audience.where, last);
}

}  // namespace simt
