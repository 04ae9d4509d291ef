// Between two times when all lanes of a warp meet, they have left a path and the addresses of their
// accesses. Replaying them is what a SIMT machine would have done: lanes that stand before the same
// event take it together, and where they part, whoever is ahead waits for those who may still come
// by (log/control_flow.h).

#include "simt/executor/accesses/replay.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "simt/executor/checkers/global_races.h"
#include "simt/executor/counters/tracing.h"
#include "simt/executor/counters/warp_recording.h"

namespace simt {
namespace {

// Who learns of a warp's requests.
struct Audience {
  Tally& tally;             ///< counts them
  const Warp* watched;      ///< the warp, if the requests are checked for races
  bool traced;              ///< whether they are also recorded one by one
  WarpRecording* recorded;  ///< of the warp, null if it has none

  void tell(const Request& request) const {
    if (watched != nullptr) note_in_global_races(*watched, request);
    if (recorded != nullptr) [[unlikely]]
      recorded->request(request);
    if (!is_counted(request.kind)) return;
    if (traced) [[unlikely]]
      trace_request(request);
    tally.add(request);
  }

  /// The replay has passed these events.
  void pass(const Event* path, std::size_t events) const {
    if (recorded == nullptr) [[likely]]
      return;
    recorded->pass_meetings(
        static_cast<std::size_t>(std::count(path, path + events, kMeetingPoint)));
  }

 private:
  static bool is_counted(AccessKind kind) {
    return kind != AccessKind::kFence && kind != AccessKind::kMeeting &&
           kind != AccessKind::kWarpSync;
  }
};

// How many events each lane's logs hold. All that a replay asks of each lane it asks but once:
// where lanes meet often there is little to replay, and these looks were most of it.
struct Done {
  std::array<std::size_t, kWarpSize> events;
  std::size_t most = 0;
};

Done done_by(const Worker& worker) {
  Done done;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    done.events[lane] = worker.logs[lane].all_events();
    done.most = std::max(done.most, done.events[lane]);
  }
  return done;
}

// The lanes that did anything since the last replay. Which request it is remains to be said.
Request request_of_all(const Done& done) {
  Request request;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    request.lanes[request.count] = static_cast<std::uint8_t>(lane);
    request.count += done.events[lane] != 0;
  }
  return request;
}

void describe(Request& request, Access access) {
  request.kind = access.kind();
  request.bytes = access.bytes();
  request.is_volatile = access.is_volatile();
}

// In what follows, `access_of(i)` is the access of the request's i-th lane.

// Through a generic pointer, lanes may reach different memories: a request for each.
template <typename AccessOf>
[[gnu::noinline]] void count_mixed_access(const Audience& audience, const Request& all,
                                          AccessOf access_of) {
  std::uint32_t rest = ~0u >> (kWarpSize - all.count);
  while (rest != 0) {
    const Access first = access_of(static_cast<unsigned>(std::countr_zero(rest)));
    Request request;
    request.site = all.site;
    describe(request, first);
    for (unsigned i = 0; i < all.count; ++i) {
      const Access access = access_of(i);
      if ((rest >> i & 1) == 0 || !access.is_like(first)) continue;
      request.addresses[request.count] = access.address();
      request.lanes[request.count++] = all.lanes[i];
      rest &= ~(1u << i);
    }
    find_stride(request);
    audience.tell(request);
  }
}

template <typename AccessOf>
[[gnu::noinline]] void count_irregular_access(const Audience& audience, Request& request,
                                              AccessOf access_of) {
  const Access first = access_of(0);
  bool alike = true;
  for (unsigned i = 0; i < request.count; ++i) {
    const Access access = access_of(i);
    alike &= access.is_like(first);
    request.addresses[i] = access.address();
  }
  if (!alike) [[unlikely]]
    return count_mixed_access(audience, request, access_of);
  describe(request, first);
  find_stride(request);
  audience.tell(request);
}

// Whether these accesses are of one kind and lie at equal distances, as most do. One look at each
// lane tells both: what begins alike and goes on in equal steps up to something alike is alike.
template <typename Count, typename AccessOf>
bool are_regular(Count count, AccessOf access_of, std::uint64_t distance) {
  const Access first = access_of(0);
  if (!first.is_like(access_of(1)) || !first.is_like(access_of(count - 1))) return false;
  std::uint64_t differences = 0;
  std::uint64_t expected = 0;
  for (unsigned i = 0; i < count; ++i, expected += distance)
    differences |= (access_of(i) - first) ^ expected;
  return differences == 0;
}

// Counts an access of the request's `count` lanes. The request has them and its place in the code.
template <typename Count, typename AccessOf>
void count_access(const Audience& audience, Request& request, Count count, AccessOf access_of) {
  if (count < 2) return count_irregular_access(audience, request, access_of);
  const Access first = access_of(0);
  const std::uint64_t distance = access_of(1) - first;
  if (!are_regular(count, access_of, distance)) [[unlikely]]
    return count_irregular_access(audience, request, access_of);
  describe(request, first);
  request.first = first.address();
  request.stride = {.regular = true, .bytes = static_cast<std::int64_t>(distance)};
  audience.tell(request);
}

// ---- what all lanes did ----

// The same for the accesses of a row, which all lanes of the request made together.
void count_row(const Audience& audience, Request& request, const Access* row) {
  if (request.count == kWarpSize) {  // the usual case: the loops have a known length
    constexpr std::integral_constant<unsigned, kWarpSize> kAll;
    return count_access(audience, request, kAll, [row](unsigned i) { return row[i]; });
  }
  count_access(audience, request, request.count, [&](unsigned i) { return row[request.lanes[i]]; });
}

struct Amount {
  std::size_t events = 0;
  std::size_t accesses = 0;
};

// What the request's lanes have in common on the path of the warp.
Amount common_of(const Worker& worker, const Request& request) {
  Amount common = {.events = ~std::size_t{0}};
  for (unsigned i = 0; i < request.count; ++i) {
    const LaneLog& log = worker.logs[request.lanes[i]];
    const std::size_t events = log.common_events();
    if (events < common.events) common = {events, log.common_accesses()};
  }
  return common;
}

void count_common(const Audience& audience, Worker& worker, Request& request, std::size_t events) {
  const Event* const path = worker.log.path();
  std::size_t accesses = 0;
  for (std::size_t i = 0; i < events; ++i) {
    if (!is_access(path[i])) continue;
    request.site = path[i];
    count_row(audience, request, worker.log.row(accesses++));
  }
  audience.pass(path, events);
}

// ---- what they did apart ----

// A lane's place in its own log, or in that of the warp, where its accesses are a column.
struct Cursor {
  const Event* at;
  const Event* end;
  const Access* access;
  std::uint16_t access_step;
  std::uint16_t lane;

  Access access_ahead(std::size_t accesses) const { return access[accesses * access_step]; }
  void go(std::size_t events, std::size_t accesses) {
    at += events;
    access += accesses * access_step;
  }
};

struct Cursors {
  std::array<Cursor, kWarpSize> of;
  unsigned count = 0;
};

// What lies behind the first events of all lanes' paths, of which `common.accesses` are accesses.
Cursors behind(Worker& worker, const Request& request, Amount common) {
  Cursors cursors;
  for (unsigned i = 0; i < request.count; ++i) {
    const auto lane = static_cast<std::uint16_t>(request.lanes[i]);
    LaneLog& log = worker.logs[lane];
    Cursor& cursor = cursors.of[cursors.count++];
    if (log.follows()) {
      const Event* const path = worker.log.path();
      cursor = {path + common.events, path + log.common_events(),
                worker.log.row(common.accesses) + lane, WarpLog::kLanes, lane};
    } else {
      log.leave(common.events, common.accesses);
      cursor = {log.path(), log.path() + log.events(), log.accesses(), 1, lane};
    }
  }
  return cursors;
}

Request request_of(const Cursors& cursors) {
  Request request;
  request.count = cursors.count;
  for (unsigned i = 0; i < cursors.count; ++i)
    request.lanes[i] = static_cast<std::uint8_t>(cursors.of[i].lane);
  return request;
}

// How many events all paths have in common from the start.
std::size_t common_events(const Cursors& cursors) {
  const Cursor& first = cursors.of[0];
  auto common = static_cast<std::size_t>(first.end - first.at);
  for (unsigned i = 1; i < cursors.count; ++i) {
    const Cursor& other = cursors.of[i];
    common = std::min(common, static_cast<std::size_t>(other.end - other.at));
    common = static_cast<std::size_t>(std::mismatch(first.at, first.at + common, other.at).first -
                                      first.at);
  }
  return common;
}

// Counts the next events of all cursors and moves these. Returns how many accesses were among them.
std::size_t take_together(const Audience& audience, Cursors& cursors, std::size_t events) {
  Request request = request_of(cursors);
  std::size_t accesses = 0;
  const Event* const begin = cursors.of[0].at;
  for (std::size_t i = 0; i < events; ++i) {
    if (!is_access(begin[i])) continue;
    request.site = begin[i];
    count_access(audience, request, request.count,
                 [&](unsigned k) { return cursors.of[k].access_ahead(accesses); });
    ++accesses;
  }
  audience.pass(begin, events);
  for (unsigned k = 0; k < cursors.count; ++k) {
    cursors.of[k].go(events, accesses);
  }
  return accesses;
}

void go_to(Cursor& cursor, const Event* stop) {
  cursor.go(static_cast<std::size_t>(stop - cursor.at),
            static_cast<std::size_t>(std::count_if(cursor.at, stop, is_access)));
}

void drop_finished(Cursors& cursors) {
  unsigned kept = 0;
  for (unsigned i = 0; i < cursors.count; ++i) {
    if (cursors.of[i].at == cursors.of[i].end) continue;
    if (kept != i) cursors.of[kept] = cursors.of[i];
    ++kept;
  }
  cursors.count = kept;
}

// Those of the cursors' paths that differ.
DistinctPaths distinct_paths(const Cursors& cursors, Event before) {
  DistinctPaths paths(before);
  std::array<unsigned, kWarpSize> distinct;
  unsigned count = 0;
  for (unsigned i = 0; i < cursors.count; ++i) {
    const Cursor& mine = cursors.of[i];
    const auto same_path = [&](unsigned other) {
      return std::equal(cursors.of[other].at, cursors.of[other].end, mine.at, mine.end);
    };
    if (std::any_of(distinct.begin(), distinct.begin() + count, same_path)) continue;
    distinct[count++] = i;
    paths.add(mine.at, mine.end);
  }
  return paths;
}

// Lanes that have parted, up to where all of them meet.
class PartedLanes {
 public:
  // They stand where `last`, which all of them took, has led them.
  PartedLanes(const Audience& audience, const ControlFlow& flow, Cursors& cursors, Event last)
      : audience_(audience), flow_(flow), cursors_(cursors) {
    const Mask all = ~Mask{0} >> (kWarpSize - cursors.count);
    follow(all, last);
    take_round(0, all, 0, kNoPosition);
  }

 private:
  // A bit for each cursor.
  using Mask = std::uint32_t;

  template <typename Do>
  static void for_each(Mask cursors, Do what) {
    for (; cursors != 0; cursors &= cursors - 1)
      what(static_cast<unsigned>(std::countr_zero(cursors)));
  }

  Mask those_in(Mask cursors, Position begin, Position end) const {
    Mask found = 0;
    for_each(cursors, [&](unsigned i) {
      if (begin <= positions_[i] && positions_[i] < end) found |= Mask{1} << i;
    });
    return found;
  }
  Position first_of(Mask cursors) const {
    Position first = kNoPosition;
    for_each(cursors, [&](unsigned i) { first = std::min(first, positions_[i]); });
    return first;
  }

  // Round after round, until all of them have left the loop. Where a loop is entered in the midst
  // of a round, those that have done so end it before the others begin the next.
  void take_loop(std::uint32_t number, Mask cursors) {
    const Loop& loop = flow_.loop(number);
    const Mask in_midst = those_in(cursors, loop.begin + 1, loop.end);
    if (loop.is_entered_within && in_midst != cursors)
      take_round(number, in_midst, loop.begin + 1, kNoPosition);
    while ((cursors = those_in(cursors, loop.begin, loop.end)) != 0)
      take_round(number, cursors, loop.begin, kNoPosition);
  }

  // From position `from` to the end of a round of a loop. Whoever comes to `stop` stays there.
  void take_round(std::uint32_t number, Mask cursors, Position from, Position stop) {
    const Loop& loop = flow_.loop(number);
    for (;;) {
      Mask ahead = those_in(cursors, from, loop.end);
      if (stop != kNoPosition) ahead &= ~those_in(ahead, stop, stop + 1);
      if (ahead == 0) return;
      const Position at = first_of(ahead);
      const std::uint32_t inner = child_at(number, at);
      if (inner != number) {
        const Loop& inside = flow_.loop(inner);
        take_loop(inner, those_in(ahead, inside.begin, inside.end));
        from = inside.end;
      } else {
        const Mask group = those_in(ahead, at, at + 1);
        from = take(number, group, first_of(ahead & ~group), stop);
      }
    }
  }

  // The loop right within `number` that this position lies in, or `number` itself.
  std::uint32_t child_at(std::uint32_t number, Position position) const {
    std::uint32_t loop = flow_.loop_at(position);
    while (loop != number && flow_.loop(loop).around != number)
      loop = flow_.loop(loop).around;
    return loop;
  }

  // Takes lanes that stand together as far as they stay so, right in this loop, before any of the
  // others, of which the first is at `others`. Returns the position behind.
  Position take(std::uint32_t number, Mask group, Position others, Position stop) {
    const unsigned first = static_cast<unsigned>(std::countr_zero(group));
    Position at;
    Position next;
    do {
      at = positions_[first];
      const Event event = *cursors_.of[first].at;
      rejoin(group, event);
      count(group, event);
      const bool together = follow(group, event);
      next = together ? positions_[first] : kNoPosition;
    } while (at < next && next < others && next != stop && next < flow_.loop(number).end &&
             flow_.loop_at(next) == number);
    if (number != 0) let_go(number, group);
    return at + 1;
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

  // They have taken `last`: finds out where each stands now. Returns whether all are together.
  bool follow(Mask group, Event last) {
    std::array<Event, kWarpSize> events;
    std::array<Mask, kWarpSize> sides;
    unsigned count = 0;
    bool all_go_on = true;
    for_each(group, [&](unsigned i) {
      const Cursor& cursor = cursors_.of[i];
      if (cursor.at == cursor.end) {
        positions_[i] = kNoPosition;
        all_go_on = false;
        return;
      }
      unsigned side = 0;
      while (side < count && events[side] != *cursor.at)
        ++side;
      if (side == count) {
        events[count] = *cursor.at;
        sides[count++] = 0;
      }
      sides[side] |= Mask{1} << i;
    });
    const auto any = static_cast<unsigned>(std::countr_zero(group));
    const Spot spot = flow_.behind(spots_[any], last);
    for (unsigned side = 0; side < count; ++side) {
      const Position position = flow_.position_of(events[side], spot);
      for_each(sides[side], [&](unsigned i) {
        positions_[i] = position;
        spots_[i] = spot;
      });
    }
    if (count > 1) part(last != kMeetingPoint ? last : events[0], {sides.data(), count});
    return count == 1 && all_go_on;
  }

  // Those that have just left the loop go on by themselves, up to where they wait for the others.
  void let_go(std::uint32_t number, Mask group) {
    const Loop& loop = flow_.loop(number);
    Mask gone = group & ~those_in(group, loop.begin, loop.end);
    for (Mask side; (gone = still_going(gone)) != 0; gone &= ~side) {
      const Position at = first_of(gone);
      side = those_in(gone, at, at + 1);
      go_on(number, side, at);
    }
  }
  Mask still_going(Mask cursors) const { return those_in(cursors, 0, kNoPosition); }

  void go_on(std::uint32_t number, Mask side, Position at) {
    const Loop* left = &flow_.loop(number);
    const auto is_around = [&](const Loop& loop) { return loop.begin <= at && at < loop.end; };
    while (!is_around(flow_.loop(left->around)))
      left = &flow_.loop(left->around);
    const std::uint32_t around = left->around;
    const bool is_next_round = around != 0 && at == flow_.loop(around).begin;
    if (at != left->exit && !is_next_round) take_round(around, side, at, left->exit);
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

  const Audience& audience_;
  const ControlFlow& flow_;
  Cursors& cursors_;
  std::array<Position, kWarpSize> positions_;
  std::array<Spot, kWarpSize> spots_ = {};
  Request request_;
  std::array<std::uint8_t, kWarpSize> members_;
  Mask requested_ = 0;
  std::array<unsigned, kWarpSize> way_ = {};  // of those that were told to the record
  unsigned ways_ = 0;
};

// What lanes do up to their next meeting. `before` is the event that all of them took last, and
// `opening` what led to it since the meeting before.
void replay_to_meeting(const Audience& audience, KnownControlFlows& flows, Cursors& cursors,
                       Event before, Opening opening) {
  std::size_t taken = 0;
  while (drop_finished(cursors), cursors.count > 0) {
    const std::size_t common = common_events(cursors);
    if (common == 0) {
      opening.back() = {cursors.of[0].at - taken, taken};
      const ControlFlow& flow = flows.of(distinct_paths(cursors, before), opening);
      PartedLanes(audience, flow, cursors, before);
    } else {
      take_together(audience, cursors, common);
      before = cursors.of[0].at[-1];
      taken += common;
    }
  }
}

// The same of all that they did.
void replay_parted(const Audience& audience, KnownControlFlows& flows, Cursors& cursors,
                   Event before, Opening opening) {
  while (drop_finished(cursors), cursors.count > 0) {
    Cursors segment = cursors;
    const Event* met = nullptr;
    for (unsigned i = 0; i < cursors.count; ++i) {
      Cursor& cursor = cursors.of[i];
      const Event* const stop = std::find(cursor.at, cursor.end, kMeetingPoint);
      segment.of[i].end = stop;
      go_to(cursor, stop);
      if (stop == cursor.end) continue;
      met = stop;
      ++cursor.at;
    }
    replay_to_meeting(audience, flows, segment, before, opening);
    if (met != nullptr) audience.pass(met, 1);
    before = kMeetingPoint;
    opening = {};
  }
}

WarpRecording* begin_recording(const Worker& worker, const Warp& warp) {
  WarpRecording* const recorded = recording_of(warp);
  if (recorded != nullptr) recorded->begin_replay(worker.shared);
  return recorded;
}

void note_replay(const Worker& worker, const Warp& warp) {
  if (worker.launch->races != nullptr) note_replay_in_global_races(warp);
}

Audience begin(Worker& worker, const Warp& warp, unsigned lanes) {
  worker.tally.begin_warp(lanes);
  note_replay(worker, warp);
  return {.tally = worker.tally,
          .watched = worker.launch->races != nullptr ? &warp : nullptr,
          .traced = tracing && trace_warp(worker.shared, warp),
          .recorded = begin_recording(worker, warp)};
}

// Counts what all lanes have in common, and returns what remains. `before` is the event that all
// lanes took last.
Cursors part(const Audience& audience, Worker& worker, Request& request, Event& before) {
  const Amount common = common_of(worker, request);
  count_common(audience, worker, request, common.events);
  if (common.events > 0) before = worker.log.event(common.events - 1);
  Cursors cursors = behind(worker, request, common);
  // Once lanes go on by themselves, they may still do the same.
  const std::size_t still_common = common_events(cursors);
  take_together(audience, cursors, still_common);
  if (still_common > 0) before = cursors.of[0].at[-1];
  return cursors;
}

bool all_follow(const Worker& worker, const Request& request) {
  const auto end = request.lanes.begin() + request.count;
  return std::all_of(request.lanes.begin(), end,
                     [&](unsigned lane) { return worker.logs[lane].follows(); });
}

void drop_front(Worker& worker, const Request& request, Amount amount) {
  worker.log.drop_front(amount.events, amount.accesses);
  for (unsigned i = 0; i < request.count; ++i)
    worker.logs[request.lanes[i]].move_back(amount.events, amount.accesses);
}

// What a lane did before, and is no longer in its logs, of the lane that did the most.
std::size_t most_gone(const Worker& worker, const Done& before) {
  std::size_t most = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    most = std::max(most, before.events[lane] - worker.logs[lane].all_events());
  return most;
}

// Of what lanes did together, what came behind their last meeting.
std::span<const Event> since_meeting(std::span<const Event> events) {
  const auto met = std::find(events.rbegin(), events.rend(), kMeetingPoint);
  return events.last(static_cast<std::size_t>(met - events.rbegin()));
}

}  // namespace

void replay(Worker& worker, Warp& warp) {
  const Done done = done_by(worker);
  if (done.most == 0) return;
  Request request = request_of_all(done);
  const Audience audience = begin(worker, warp, request.count);
  const Amount common = common_of(worker, request);
  if (all_follow(worker, request) && common.events == worker.log.events()) {
    count_common(audience, worker, request, common.events);
  } else {
    Event before = warp.last_event;
    Cursors cursors = part(audience, worker, request, before);
    const std::span<const Event> together(worker.log.path(), common.events);
    replay_parted(audience, worker.control_flows, cursors, before,
                  {warp.opening, since_meeting(together)});
  }
  note_replay(worker, warp);
  warp.last_event = kMeetingPoint;
  warp.opening.clear();
  warp.ticks += done.most;
  worker.log.clear();
  for (LaneLog& log : worker.logs)
    log.follow();
}

namespace {

// Logs are about to lose what lanes did together first. Of that the beginning tells where loops
// begin that they are still in.
void keep_opening(Warp& warp, std::span<const Event> events) {
  constexpr std::size_t kMost = 512;
  const std::span<const Event> opening = since_meeting(events);
  if (opening.size() < events.size()) warp.opening.clear();
  if (!warp.opening.empty()) return;
  warp.opening.assign(opening.begin(), opening.begin() + static_cast<std::ptrdiff_t>(
                                                             std::min(kMost, opening.size())));
}

void replay_front_of(Worker& worker, Warp& warp, Request& request) {
  const Audience audience = begin(worker, warp, request.count);
  const Amount common = common_of(worker, request);
  const bool little_remains = worker.log.events() - common.events <= WarpLog::kEvents / 2;
  if (all_follow(worker, request) && little_remains) {
    count_common(audience, worker, request, common.events);
    keep_opening(warp, {worker.log.path(), common.events});
    // The last of them may be the branch at which they part.
    if (common.events > 0) warp.last_event = worker.log.event(common.events - 1);
    drop_front(worker, request, common);
    return;
  }
  // From here on, each lane keeps its own log.
  keep_opening(warp, {worker.log.path(), common.events});
  for (LaneLog& log : worker.logs)
    log.leave(0, 0);
  worker.log.clear();
  const Cursors cursors = part(audience, worker, request, warp.last_event);
  for (unsigned i = 0; i < cursors.count; ++i) {
    const Cursor& cursor = cursors.of[i];
    LaneLog& log = worker.logs[cursor.lane];
    log.drop_front(static_cast<std::size_t>(cursor.at - log.path()),
                   static_cast<std::size_t>(cursor.access - log.accesses()));
  }
}

}  // namespace

void replay_front(Worker& worker, Warp& warp) {
  // A lane that loops while the others wait must not fill the memory.
  const bool too_long = std::any_of(worker.logs.begin(), worker.logs.end(), [](const LaneLog& log) {
    return log.events() > LaneLog::kMaxEvents;
  });
  if (too_long) return replay(worker, warp);
  const Done done = done_by(worker);
  if (done.most == 0) return;
  Request request = request_of_all(done);
  replay_front_of(worker, warp, request);
  note_replay(worker, warp);
  warp.ticks += most_gone(worker, done);
}

}  // namespace simt
