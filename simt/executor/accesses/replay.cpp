// Between two times when all lanes of a warp meet, they have left a path and the addresses of their
// accesses. Replaying them is what a SIMT machine would have done: lanes that stand before the same
// event take it together, and where they part, they meet again where a GPU lets them
// (log/code_flow.h).

#include "simt/executor/accesses/replay.h"

#include <algorithm>

#include "simt/executor/accesses/parted_lanes.h"

namespace simt {
namespace {

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

// What lanes do next, one after another or apart. `before` is the event that all of them took last.
// Behind what they do apart, the warp is where the cursor of lane `survivor` has come to.
void take_next(const Audience& audience, Worker& worker, Cursors& cursors, Event& before,
               unsigned survivor) {
  const std::size_t common = common_events(cursors);
  if (common > 0) {
    take_together(audience, cursors, common);
    before = cursors.of[0].at[-1];
    return;
  }
  const Cursor* last = cursors.of.data();
  for (unsigned i = 0; i < cursors.count; ++i)
    if (cursors.of[i].lane == survivor) last = &cursors.of[i];
  const Event* const first = last->at;
  take_parted(audience, worker, cursors, before);
  for (const Event* event = first; event != last->at; ++event)
    audience.where.pass(*event);
  before = kMeetingPoint;
}

void replay_to_meeting(const Audience& audience, Worker& worker, Cursors& cursors, Event before,
                       unsigned survivor) {
  while (drop_finished(cursors), cursors.count > 0)
    take_next(audience, worker, cursors, before, survivor);
}

// The same of all that they did.
void replay_parted(const Audience& audience, Worker& worker, Cursors& cursors, Event before) {
  while (drop_finished(cursors), cursors.count > 0) {
    Cursors segment = cursors;
    const Event* met = nullptr;
    unsigned meeting = 0;
    unsigned survivor = cursors.of[0].lane;
    for (unsigned i = 0; i < cursors.count; ++i) {
      const Cursor& cursor = cursors.of[i];
      const Event* const stop = std::find(cursor.at, cursor.end, kMeetingPoint);
      segment.of[i].end = stop;
      if (stop == cursor.end) continue;
      if (met == nullptr) survivor = cursor.lane;
      met = stop;
      ++meeting;
    }
    // Those who have returned may have waited for the others before, and these have met meanwhile.
    if (meeting != 0 && meeting != cursors.count) {
      take_next(audience, worker, cursors, before, survivor);
      continue;
    }
    for (unsigned i = 0; i < cursors.count; ++i) {
      go_to(cursors.of[i], segment.of[i].end);
      cursors.of[i].at += met != nullptr;
    }
    replay_to_meeting(audience, worker, segment, before, survivor);
    if (met != nullptr) audience.pass(met, 1);
    before = kMeetingPoint;
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

Audience begin(Worker& worker, Warp& warp, unsigned lanes) {
  worker.tally.begin_warp(lanes);
  note_replay(worker, warp);
  return {.tally = worker.tally,
          .watched = worker.launch->races != nullptr ? &warp : nullptr,
          .traced = tracing && trace_warp(worker.shared, warp),
          .recorded = begin_recording(worker, warp),
          .where = warp.where};
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
    replay_parted(audience, worker, cursors, before);
  }
  note_replay(worker, warp);
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
  note_replay(worker, warp);
  warp.ticks += most_gone(worker, done);
}

}  // namespace simt
