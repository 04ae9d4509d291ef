// Between two times when all lanes of a warp meet, each lane has left a path and the addresses of
// its accesses. Replaying them is what a SIMT machine would have done: lanes that stand before the
// same event take it together; where they part, each side runs alone up to the reconvergence point
// of the branch.

#include "common/simt/executor/replay.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/simt/executor/trace.h"

namespace simt {
namespace {

// A lane's place in its log.
struct Cursor {
  const Event* at;
  const Event* end;
  const Access* access;
  unsigned lane;
};

struct Cursors {
  std::array<Cursor, kWarpSize> of;
  unsigned count = 0;
};

Cursors all_logs(const Worker& worker) {
  Cursors cursors;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const LaneLog& log = worker.logs[lane];
    if (log.empty()) continue;
    cursors.of[cursors.count++] = {log.path(), log.path() + log.events(), log.accesses(), lane};
  }
  return cursors;
}

// How many events all paths have in common from the start. Most often that is all of them.
std::size_t common_events(const Cursors& cursors) {
  const Cursor& first = cursors.of[0];
  auto common = static_cast<std::size_t>(first.end - first.at);
  for (unsigned i = 1; i < cursors.count; ++i) {
    const Cursor& other = cursors.of[i];
    common = std::min(common, static_cast<std::size_t>(other.end - other.at));
    if (std::memcmp(first.at, other.at, common * sizeof(Event)) == 0) continue;
    common = static_cast<std::size_t>(std::mismatch(first.at, first.at + common, other.at).first -
                                      first.at);
  }
  return common;
}

// A request of these lanes. Which one it is remains to be said.
Request request_of(const Cursors& cursors) {
  Request request;
  request.count = cursors.count;
  for (unsigned i = 0; i < cursors.count; ++i)
    request.lanes[i] = static_cast<std::uint8_t>(cursors.of[i].lane);
  return request;
}

void describe(Request& request, Access access) {
  request.kind = access.kind();
  request.bytes = access.bytes();
  request.is_volatile = access.is_volatile();
}

// Through a generic pointer, lanes may reach different memories: a request for each.
[[gnu::noinline]] void count_mixed_access(Tally& tally, const Cursors& cursors, std::size_t ahead,
                                          Event site) {
  std::uint32_t rest = ~0u >> (kWarpSize - cursors.count);
  while (rest != 0) {
    const Access first = cursors.of[static_cast<unsigned>(std::countr_zero(rest))].access[ahead];
    Request request;
    request.site = site;
    describe(request, first);
    for (unsigned i = 0; i < cursors.count; ++i) {
      const Access access = cursors.of[i].access[ahead];
      if ((rest >> i & 1) == 0 || !access.is_like(first)) continue;
      request.addresses[request.count] = access.address();
      request.lanes[request.count++] = static_cast<std::uint8_t>(cursors.of[i].lane);
      rest &= ~(1u << i);
    }
    find_stride(request);
    tally.add(request);
  }
}

[[gnu::noinline]] void count_irregular_access(Tally& tally, const Cursors& cursors,
                                              std::size_t ahead, Request& request) {
  const Access first = cursors.of[0].access[ahead];
  bool alike = true;
  for (unsigned i = 0; i < cursors.count; ++i) {
    const Access access = cursors.of[i].access[ahead];
    alike &= access.is_like(first);
    request.addresses[i] = access.address();
  }
  if (!alike) [[unlikely]]
    return count_mixed_access(tally, cursors, ahead, request.site);
  describe(request, first);
  find_stride(request);
  tally.add(request);
}

// Whether these accesses are of one kind and lie at equal distances, as most do. One look at each
// lane tells both: what begins alike and goes on in equal steps up to something alike is alike.
bool are_regular(const Cursors& cursors, std::size_t ahead, std::uint64_t distance) {
  const Access first = cursors.of[0].access[ahead];
  const Access last = cursors.of[cursors.count - 1].access[ahead];
  if (!first.is_like(cursors.of[1].access[ahead]) || !first.is_like(last)) return false;
  std::uint64_t differences = 0;
  std::uint64_t expected = 0;
  for (unsigned i = 0; i < cursors.count; ++i, expected += distance)
    differences |= (cursors.of[i].access[ahead] - first) ^ expected;
  return differences == 0;
}

// Counts the access that lies so many accesses ahead of all cursors. The request has its lanes and
// its place in the code.
void count_access(Tally& tally, const Cursors& cursors, std::size_t ahead, Request& request) {
  if (cursors.count < 2) return count_irregular_access(tally, cursors, ahead, request);
  const Access first = cursors.of[0].access[ahead];
  const std::uint64_t distance = cursors.of[1].access[ahead] - first;
  if (!are_regular(cursors, ahead, distance)) [[unlikely]]
    return count_irregular_access(tally, cursors, ahead, request);
  std::uint64_t address = first.address();
  for (unsigned i = 0; i < cursors.count; ++i, address += distance)
    request.addresses[i] = address;
  describe(request, first);
  request.stride = {.regular = true, .bytes = static_cast<std::int64_t>(distance)};
  tally.add(request);
}

void take_together(Tally& tally, Cursors& cursors) {
  const Event event = *cursors.of[0].at;
  if (is_access(event)) {
    Request request = request_of(cursors);
    request.site = event;
    count_access(tally, cursors, 0, request);
  }
  for (unsigned i = 0; i < cursors.count; ++i) {
    ++cursors.of[i].at;
    cursors.of[i].access += is_access(event);
  }
}

// The same for many events, of which those that are no accesses cost nothing. Returns the accesses.
std::size_t take_together(Tally& tally, Cursors& cursors, std::size_t events) {
  Request request = request_of(cursors);
  std::size_t accesses = 0;
  const Event* const begin = cursors.of[0].at;
  for (std::size_t i = 0; i < events; ++i) {
    if (!is_access(begin[i])) continue;
    request.site = begin[i];
    count_access(tally, cursors, accesses++, request);
  }
  for (unsigned k = 0; k < cursors.count; ++k) {
    cursors.of[k].at += events;
    cursors.of[k].access += accesses;
  }
  return accesses;
}

void drop_finished(Cursors& cursors) {
  unsigned kept = 0;
  for (unsigned i = 0; i < cursors.count; ++i) {
    if (cursors.of[i].at != cursors.of[i].end) cursors.of[kept++] = cursors.of[i];
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
  DivergentReplay(Tally& tally, ControlFlow& flow) : tally_(tally), flow_(flow) {}

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
    for (unsigned i = 0; i < cursors.count; ++i) {
      Cursor& cursor = cursors.of[i];
      const Event* const stop = stops[i];
      cursor.access += std::count_if(cursor.at, stop, is_access);
      cursor.at = stop == cursor.end ? stop : stop + 1;
    }
  }

  // Uses the cursors up.
  void replay(Cursors& cursors, Event last) {
    while (drop_finished(cursors), cursors.count > 0) {
      if (stand_together(cursors)) {
        last = *cursors.of[0].at;
        take_together(tally_, cursors);
      } else {
        last = replay_sides(cursors, last);
      }
    }
  }

  // Replays each side of a branch up to where they meet, and leaves the cursors there.
  Event replay_sides(Cursors& cursors, Event branch) {
    // A meeting point is no place in the code: then it is where the first lane goes on.
    tally_.add_divergence(branch != kMeetingPoint ? branch : *cursors.of[0].at);
    const Event meet = flow_.reconvergence_point(branch);
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
      replay(side, branch);
    }
    for (unsigned i = 0; i < cursors.count; ++i) {
      Cursor& cursor = cursors.of[i];
      cursor.access += std::count_if(cursor.at, sides.of[i].end, is_access);
      cursor.at = sides.of[i].end;
    }
    return branch;
  }

  Tally& tally_;
  ControlFlow& flow_;
};

}  // namespace

void replay(Worker& worker, Warp& warp) {
  worker.tally.traced = tracing && trace_warp(worker, warp);
  worker.tally.watched = warp.block->race_key != 0 ? &warp : nullptr;
  Cursors cursors = all_logs(worker);
  if (cursors.count == 0) return;
  worker.tally.begin_warp(cursors.count);
  const std::size_t common = common_events(cursors);
  take_together(worker.tally, cursors, common);
  const Event before = common > 0 ? cursors.of[0].at[-1] : warp.last_event;
  const auto last = cursors.of.begin() + cursors.count;
  if (std::any_of(cursors.of.begin(), last, [](const Cursor& c) { return c.at != c.end; })) {
    ControlFlow& flow = worker.control_flows.of(distinct_paths(cursors, before));
    DivergentReplay(worker.tally, flow).run(cursors, before);
  }
  warp.last_event = kMeetingPoint;
  for (LaneLog& log : worker.logs)
    log.clear();
}

void replay_front(Worker& worker, Warp& warp) {
  // A lane that loops while the others wait must not fill the memory.
  const bool too_long = std::any_of(worker.logs.begin(), worker.logs.end(), [](const LaneLog& log) {
    return log.events() > LaneLog::kMaxEvents;
  });
  if (too_long) return replay(worker, warp);
  worker.tally.traced = tracing && trace_warp(worker, warp);
  worker.tally.watched = warp.block->race_key != 0 ? &warp : nullptr;
  Cursors cursors = all_logs(worker);
  worker.tally.begin_warp(cursors.count);
  const std::size_t common = common_events(cursors);
  const std::size_t accesses = take_together(worker.tally, cursors, common);
  if (common > 0) warp.last_event = cursors.of[0].at[-1];  // perhaps the branch at which they part
  for (unsigned i = 0; i < cursors.count; ++i) {
    worker.logs[cursors.of[i].lane].drop_front(common, accesses);
  }
}

}  // namespace simt
