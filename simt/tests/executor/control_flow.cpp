// The order of graphs whose answer is known.

#include "simt/executor/log/control_flow.h"

#include <doctest/doctest.h>
#include <vector>

namespace {

using simt::ControlFlow;
using simt::Event;
using simt::Loop;
using simt::Position;

// Places in the code that are even have basic blocks, odd ones accesses.
Event event_at(std::uintptr_t place) {
  place += 2 * simt::kMostNamedLines;
  return place % 2 == 1 ? simt::access_event(place) : simt::basic_block_event(place);
}

using Places = std::vector<std::uintptr_t>;

std::vector<Event> events_at(const Places& places) {
  std::vector<Event> events;
  for (const std::uintptr_t place : places)
    events.push_back(event_at(place));
  return events;
}

ControlFlow graph_of(const std::vector<std::vector<Event>>& paths) {
  ControlFlow flow;
  for (const auto& path : paths)
    flow.add_path(event_at(2), path.data(), path.data() + path.size());
  flow.put_in_order();
  return flow;
}

// All paths come from place 2.
ControlFlow graph(const std::vector<Places>& paths) {
  std::vector<std::vector<Event>> of_events;
  for (const Places& path : paths)
    of_events.push_back(events_at(path));
  return graph_of(of_events);
}

Position position_of(const ControlFlow& flow, std::uintptr_t place) {
  return flow.position_of(event_at(place));
}

// Whether these come one behind the other.
bool in_order(const ControlFlow& flow, const Places& places) {
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (position_of(flow, places[i - 1]) >= position_of(flow, places[i])) return false;
  }
  return true;
}

const Loop& loop_of(const ControlFlow& flow, std::uintptr_t place) {
  return flow.loop(flow.loop_at(position_of(flow, place)));
}

}  // namespace

TEST_SUITE_BEGIN("control_flow");

TEST_CASE("a straight path is in its own order") {
  const ControlFlow flow = graph({{4, 6, 8}});
  CHECK(in_order(flow, {2, 4, 6, 8}));
  CHECK(flow.loop_at(position_of(flow, 6)) == 0);
}

TEST_CASE("both sides of a branch come before what is behind it, the first lane's first") {
  CHECK(in_order(graph({{4, 8}, {6, 8}}), {4, 6, 8}));
  CHECK(in_order(graph({{6, 8}, {4, 8}}), {6, 4, 8}));
}

TEST_CASE("a side may be empty") {
  CHECK(in_order(graph({{6}, {4, 6}}), {4, 6}));
}

TEST_CASE("a body that several conditions lead to comes behind all of them") {
  CHECK(in_order(graph({{10, 12}, {4, 10, 12}, {4, 6, 10, 12}, {4, 6, 12}}), {4, 6, 10, 12}));
}

TEST_CASE("lanes that leave a loop wait behind it") {
  const ControlFlow flow = graph({{4, 4, 4, 6, 7}, {4, 6, 7}});
  CHECK(in_order(flow, {4, 6}));
  CHECK(loop_of(flow, 4).exit == position_of(flow, 6));
  CHECK(flow.loop_at(position_of(flow, 6)) == 0);
}

TEST_CASE("what leads back to where a round begins is behind all else in it") {
  // 4 begins a round, 6 continues, 8 goes on, 10 is the latch.
  const ControlFlow flow = graph({{4, 8, 10, 4, 10, 12}, {4, 10, 4, 8, 10, 12}});
  CHECK(in_order(flow, {4, 8, 10, 12}));
  CHECK(loop_of(flow, 8).begin == position_of(flow, 4));
  CHECK(loop_of(flow, 8).end == position_of(flow, 10) + 1);
}

TEST_CASE("a loop lies in another") {
  const ControlFlow flow = graph({{4, 6, 6, 8, 4, 6, 8, 10, 11}, {4, 6, 8, 4, 6, 6, 8, 10, 11}});
  const Loop& inner = loop_of(flow, 6);
  CHECK(inner.begin == position_of(flow, 6));
  CHECK(inner.exit == position_of(flow, 8));
  CHECK(flow.loop(inner.around).begin == position_of(flow, 4));
  CHECK(flow.loop(inner.around).exit == position_of(flow, 10));
}

TEST_CASE("whoever breaks with something to do waits behind that") {
  // 6 is a block before the break, with an access.
  const ControlFlow flow = graph({{4, 8, 4, 6, 7, 12, 13}, {4, 8, 4, 8, 12, 13}});
  CHECK(in_order(flow, {4, 8, 6, 12}));
  CHECK(loop_of(flow, 4).exit == position_of(flow, 12));
}

TEST_CASE("whoever returns out of a loop does not decide where others wait") {
  // 6 stores and returns; the test of a round is in 8, and 12 comes behind the loop.
  const ControlFlow flow = graph({{4, 8, 4, 6, 7, 14}, {4, 8, 4, 8, 12, 13, 14}});
  CHECK(loop_of(flow, 4).exit == position_of(flow, 12));
}

TEST_CASE("nor does who goes on with the loop around") {
  // 10 is the latch of the loop around, and 8 comes behind the loop within.
  const ControlFlow flow = graph({{4, 6, 6, 10, 4, 6, 8, 9, 10, 12}, {4, 6, 8, 9, 10, 12}});
  CHECK(loop_of(flow, 6).exit == position_of(flow, 8));
}

TEST_CASE("the event that led to all paths may be the one where a round begins") {
  const ControlFlow flow = graph({{4, 2, 4, 2, 6}, {6}});
  CHECK(loop_of(flow, 4).begin == position_of(flow, 2));
  CHECK(loop_of(flow, 2).exit == position_of(flow, 6));
}

TEST_CASE("paths that begin within a loop within another tell both") {
  // From the access of the inner loop's first block, 8, on: 4 begins a round of the outer one.
  ControlFlow flow;
  const std::vector<Event> stays = events_at({10, 8, 9, 12, 14, 4, 8, 9, 12, 14, 16});
  const std::vector<Event> leaves = events_at({14, 4, 8, 9, 10, 8, 9, 12, 14, 16});
  flow.add_path(event_at(9), stays.data(), stays.data() + stays.size());
  flow.add_path(event_at(9), leaves.data(), leaves.data() + leaves.size());
  const std::vector<Event> before = events_at({3, 4, 8, 9});
  flow.put_in_order({before});
  const Loop& inner = loop_of(flow, 10);
  CHECK(inner.begin == position_of(flow, 8));
  CHECK(flow.loop(inner.around).begin == position_of(flow, 4));
  CHECK(flow.loop(inner.around).exit == position_of(flow, 16));
}

TEST_CASE("two loops that a compiler made of one whose rounds may end early are one") {
  // 4 enters; 6 does a round's work and 8 tests; 10 begins a round, which 12 ends early and tests.
  const ControlFlow flow = graph({{4, 6, 7, 8, 10, 12, 10, 6, 7, 8, 14},
                                  {4, 8, 10, 12, 10, 12, 14},
                                  {4, 8, 10, 6, 7, 8, 10, 12, 14}});
  CHECK(loop_of(flow, 6).begin == position_of(flow, 10));
  CHECK(flow.loop_at(position_of(flow, 12)) == flow.loop_at(position_of(flow, 6)));
  CHECK(in_order(flow, {10, 12, 14}));
  CHECK(in_order(flow, {10, 6, 8, 14}));
}

TEST_CASE("a loop that all lanes leave by returning has no place to wait but there") {
  const ControlFlow flow = graph({{4, 4, 6, 7}, {4, 4, 4, 8, 9}});
  const Loop& loop = loop_of(flow, 4);
  CHECK((loop.exit == position_of(flow, 6) || loop.exit == position_of(flow, 8)));
}

TEST_CASE("a function that is called from two places is code of its own in each") {
  // From 4 and from 6, with 20 in it and a return at 22; 8 is behind both.
  const auto way = [](std::uintptr_t from) {
    return std::vector<Event>{event_at(from), simt::call_event(from + 1), event_at(20),
                              simt::return_event(22), event_at(8)};
  };
  const ControlFlow flow = graph_of({way(4), way(6)});
  const auto called_from = [&](std::uintptr_t from) {
    return flow.behind(flow.behind({}, event_at(from)), simt::call_event(from + 1));
  };
  CHECK(called_from(4).context != called_from(6).context);
  CHECK(flow.position_of(event_at(20), called_from(4)) !=
        flow.position_of(event_at(20), called_from(6)));
  CHECK(flow.behind(called_from(4), simt::return_event(22)).context == 0);
  CHECK(flow.position_of(event_at(20), called_from(6)) < position_of(flow, 8));
}

TEST_CASE("an access that a source line names is one of its basic block") {
  // As an atomic operation of an inlined function, which both sides of a branch call: 21.
  const Event access = simt::access_event(21);
  const ControlFlow flow =
      graph_of({{event_at(4), access, event_at(8)}, {event_at(6), access, event_at(8)}});
  const auto on_side = [&](std::uintptr_t block) {
    return flow.position_of(access, flow.behind({}, event_at(block)));
  };
  CHECK(on_side(4) != on_side(6));
  CHECK(on_side(6) < position_of(flow, 8));
}

TEST_CASE("so it is where it is called twice, which makes no loop") {
  const std::vector<Event> path = {simt::call_event(4), event_at(20), simt::return_event(22),
                                   simt::call_event(6), event_at(20), simt::return_event(22),
                                   event_at(8)};
  const ControlFlow flow = graph_of({path, events_at({8})});
  for (Position position = 0; position < 8; ++position)
    CHECK(flow.loop_at(position) == 0);
}

TEST_CASE("and where it calls itself") {
  const std::vector<Event> deep = {event_at(20),           simt::call_event(24),   event_at(20),
                                   simt::return_event(22), simt::return_event(22), event_at(8)};
  const std::vector<Event> flat = {simt::return_event(22), event_at(8)};
  const ControlFlow flow = graph_of({deep, flat});
  const simt::Spot inner = flow.behind({}, simt::call_event(24));
  CHECK(flow.position_of(event_at(20)) < flow.position_of(event_at(20), inner));
  const simt::Spot outer = flow.behind({}, simt::return_event(22));
  CHECK(outer.context != inner.context);
  CHECK(flow.position_of(event_at(8), outer) > flow.position_of(simt::return_event(22)));
}

TEST_CASE("more events than the table begins with") {
  Places path;
  for (std::uintptr_t place = 4; place < 4000; place += 2)
    path.push_back(place);
  const ControlFlow flow = graph({path, {3998}});
  CHECK(in_order(flow, path));
}

TEST_CASE("graphs that are known already are those of their own paths") {
  simt::KnownControlFlows known;
  constexpr std::uintptr_t kSets = 200;  // more than are kept
  const auto flow_of = [&](std::uintptr_t set) -> const ControlFlow& {
    const std::vector<Event> one = events_at({4, 1000 + 2 * set, 6});
    const std::vector<Event> other = events_at({2000 + 2 * set, 1000 + 2 * set, 6});
    simt::DistinctPaths paths(event_at(2));
    paths.add(one.data(), one.data() + one.size());
    paths.add(other.data(), other.data() + other.size());
    return known.of(paths, {});
  };
  for (int round = 0; round < 2; ++round) {
    for (std::uintptr_t set = 0; set < kSets; ++set) {
      CHECK(in_order(flow_of(set), {4, 2000 + 2 * set, 1000 + 2 * set, 6}));
      CHECK(in_order(flow_of(set), {4, 2000 + 2 * set, 1000 + 2 * set, 6}));
    }
  }
}

TEST_CASE("a known graph is put in another order where its loop was entered elsewhere") {
  simt::KnownControlFlows known;
  const std::vector<Event> path = events_at({6, 8, 4, 6, 8, 10});
  simt::DistinctPaths paths(event_at(4));
  paths.add(path.data(), path.data() + path.size());
  for (const std::uintptr_t entry : {4, 6, 8, 6}) {
    const std::vector<Event> before = events_at({2, entry, 4});
    CHECK(loop_of(known.of(paths, {before}), 4).begin ==
          position_of(known.of(paths, {before}), entry));
  }
}

TEST_CASE("an empty path is one of a known graph") {
  simt::KnownControlFlows known;
  const std::vector<Event> longer = events_at({4, 6});
  simt::DistinctPaths paths(event_at(2));
  paths.add(longer.data(), longer.data() + longer.size());
  paths.add(nullptr, nullptr);
  CHECK(in_order(known.of(paths, {}), {2, 4, 6}));
}

TEST_SUITE_END();
