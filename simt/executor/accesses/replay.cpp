// Between two times when all lanes of a warp meet, they have left a path and the addresses of their
// accesses. Replaying them is what a SIMT machine would have done: lanes that stand before the
// same event take it together; where they part, each side runs alone up to the reconvergence point
// of the branch.

#include "simt/executor/accesses/replay.h"

#include <algorithm>
#include <bit>
#include <cstring>

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

// A bit for each.
std::uint32_t lanes_of(const Cursors& cursors) {
  std::uint32_t lanes = 0;
  for (unsigned i = 0; i < cursors.count; ++i)
    lanes |= 1u << cursors.of[i].lane;
  return lanes;
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

bool stand_together(const Cursors& cursors) {
  const Event event = *cursors.of[0].at;
  for (unsigned i = 1; i < cursors.count; ++i) {
    if (*cursors.of[i].at != event) return false;
  }
  return true;
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

class DivergentReplay {
 public:
  DivergentReplay(const Audience& audience, ControlFlow& flow, KnownControlFlows& of_segments)
      : audience_(audience), flow_(flow), of_segments_(of_segments) {}

  // `before` is the event that all lanes took last.
  void run(Cursors& cursors, Event before) {
    while (drop_finished(cursors), cursors.count > 0) {
      run_to_meeting_point(cursors, before);
      before = kMeetingPoint;
    }
  }

 private:
  void run_to_meeting_point(Cursors& cursors, Event before) {
    Cursors segment = cursors;
    std::array<const Event*, kWarpSize> stops;
    for (unsigned i = 0; i < cursors.count; ++i) {
      Cursor& part = segment.of[i];
      stops[i] = part.end = std::find(part.at, part.end, kMeetingPoint);
    }
    replay(segment, before);
    const Event* met = nullptr;
    for (unsigned i = 0; i < cursors.count; ++i) {
      go_to(cursors.of[i], stops[i]);
      if (stops[i] == cursors.of[i].end) continue;
      met = stops[i];
      ++cursors.of[i].at;
    }
    if (met != nullptr) audience_.pass(met, 1);
  }

  // Uses the cursors up.
  void replay(Cursors& cursors, Event last) {
    while (drop_finished(cursors), cursors.count > 0) {
      if (stand_together(cursors)) {
        last = *cursors.of[0].at;
        take_together(audience_, cursors, 1);
      } else {
        last = replay_sides(cursors, last);
      }
    }
  }

  // Replays each side of a branch up to where they meet, and leaves the cursors there.
  Event replay_sides(Cursors& cursors, Event branch) {
    // A meeting point is no place in the code: then it is where the first lane goes on.
    const Event place = branch != kMeetingPoint ? branch : *cursors.of[0].at;
    audience_.tally.add_divergence(place);
    WarpRecording* const recorded = audience_.recorded;
    const std::size_t parted = recorded != nullptr ? recorded->part(place, lanes_of(cursors)) : 0;
    const Event meet = reconvergence_point(cursors, branch);
    Cursors sides = cursors;
    std::uint32_t rest = 0;
    for (unsigned i = 0; i < cursors.count; ++i) {
      Cursor& side = sides.of[i];
      side.end = std::find(side.at, side.end, meet);
      rest |= 1u << i;
    }
    while (rest != 0) {
      const Cursor& leader = sides.of[static_cast<unsigned>(std::countr_zero(rest))];
      Cursors side;
      for (unsigned i = 0; i < sides.count; ++i) {
        if ((rest >> i & 1) == 0 || *sides.of[i].at != *leader.at) continue;
        side.of[side.count++] = sides.of[i];
        rest &= ~(1u << i);
      }
      if (recorded != nullptr) recorded->add_side(parted, lanes_of(side));
      replay(side, branch);
    }
    // At the end of their paths some may have returned, and others wait.
    if (recorded != nullptr && meet != ControlFlow::kEnd) recorded->rejoin(meet, lanes_of(cursors));
    for (unsigned i = 0; i < cursors.count; ++i)
      go_to(cursors.of[i], sides.of[i].end);
    return branch;
  }

  // Of lanes that part behind a meeting point, their paths up to the next one tell: a meeting point
  // is no place in the code, and behind each the code goes on elsewhere.
  Event reconvergence_point(const Cursors& cursors, Event branch) {
    ControlFlow& flow =
        branch != kMeetingPoint ? flow_ : of_segments_.of(distinct_paths(cursors, branch));
    return flow.reconvergence_point(branch);
  }

  const Audience& audience_;
  ControlFlow& flow_;
  KnownControlFlows& of_segments_;
};

WarpRecording* begin_recording(const Worker& worker, const Warp& warp) {
  WarpRecording* const recorded = recording_of(warp);
  if (recorded != nullptr) recorded->begin_replay(worker.shared);
  return recorded;
}

Audience begin(Worker& worker, const Warp& warp, unsigned lanes) {
  worker.tally.begin_warp(lanes);
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
    ControlFlow& flow = worker.control_flows.of(distinct_paths(cursors, before));
    DivergentReplay(audience, flow, worker.control_flows_of_segments).run(cursors, before);
  }
  warp.last_event = kMeetingPoint;
  warp.ticks += done.most;
  worker.log.clear();
  for (LaneLog& log : worker.logs)
    log.follow();
}

namespace {

void replay_front_of(Worker& worker, Warp& warp, Request& request) {
  const Audience audience = begin(worker, warp, request.count);
  const Amount common = common_of(worker, request);
  const bool little_remains = worker.log.events() - common.events <= WarpLog::kEvents / 2;
  if (all_follow(worker, request) && little_remains) {
    count_common(audience, worker, request, common.events);
    // The last of them may be the branch at which they part.
    if (common.events > 0) warp.last_event = worker.log.event(common.events - 1);
    drop_front(worker, request, common);
    return;
  }
  // From here on, each lane keeps its own log.
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
  warp.ticks += most_gone(worker, done);
}

}  // namespace simt
