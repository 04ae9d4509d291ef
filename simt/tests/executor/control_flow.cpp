// The order of graphs whose answer is known.

#include "simt/executor/log/control_flow.h"

#include <doctest/doctest.h>
#include <vector>

namespace {

using simt::ControlFlow;
using simt::Event;
using simt::kNoPosition;
using simt::Loop;

ControlFlow graph(const std::vector<std::vector<Event>>& paths, Event before = 2) {
  ControlFlow flow;
  for (const auto& path : paths)
    flow.add_path(before, path.data(), path.data() + path.size());
  flow.put_in_order();
  return flow;
}

// Whether these events come one behind the other.
bool in_order(const ControlFlow& flow, const std::vector<Event>& events) {
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (flow.position_of(events[i - 1]) >= flow.position_of(events[i])) return false;
  }
  return true;
}

const Loop& loop_of(const ControlFlow& flow, Event event) {
  return flow.loop(flow.loop_at(flow.position_of(event)));
}

// Even events are basic blocks, odd ones accesses.
static_assert(!simt::is_access(4) && simt::is_access(5));

}  // namespace

TEST_SUITE_BEGIN("control_flow");

TEST_CASE("a straight path is in its own order") {
  const ControlFlow flow = graph({{4, 6, 8}});
  CHECK(in_order(flow, {2, 4, 6, 8}));
  CHECK(flow.loop_at(flow.position_of(6)) == 0);
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
  const ControlFlow flow = graph({{4, 4, 4, 7}, {4, 7}});
  CHECK(in_order(flow, {4, 7}));
  CHECK(loop_of(flow, 4).exit == flow.position_of(7));
  CHECK(flow.loop_at(flow.position_of(7)) == 0);
}

TEST_CASE("what leads back to where a round begins is behind all else in it") {
  // 4 begins a round, 6 continues, 8 goes on, 10 is the latch.
  const ControlFlow flow = graph({{4, 8, 10, 4, 10, 12}, {4, 10, 4, 8, 10, 12}});
  CHECK(in_order(flow, {4, 8, 10, 12}));
  CHECK(loop_of(flow, 8).begin == flow.position_of(4));
  CHECK(loop_of(flow, 8).end == flow.position_of(10) + 1);
}

TEST_CASE("a loop lies in another") {
  const ControlFlow flow = graph({{4, 6, 6, 8, 4, 6, 8, 11}, {4, 6, 8, 4, 6, 6, 8, 11}});
  const Loop& inner = loop_of(flow, 6);
  CHECK(inner.begin == flow.position_of(6));
  CHECK(inner.exit == flow.position_of(8));
  CHECK(flow.loop(inner.around).begin == flow.position_of(4));
  CHECK(flow.loop(inner.around).exit == flow.position_of(11));
}

TEST_CASE("whoever breaks with something to do waits behind that") {
  // 6 is a block before the break, with an access.
  const ControlFlow flow = graph({{4, 8, 4, 6, 7, 12, 13}, {4, 8, 4, 8, 12, 13}});
  CHECK(in_order(flow, {4, 8, 6, 12}));
  CHECK(loop_of(flow, 4).exit == flow.position_of(12));
}

TEST_CASE("whoever returns out of a loop does not decide where others wait") {
  // 6 stores and returns; the test of a round is in 8, and 12 comes behind the loop.
  const ControlFlow flow = graph({{4, 8, 4, 6, 7, 14}, {4, 8, 4, 8, 12, 13, 14}});
  CHECK(loop_of(flow, 4).exit == flow.position_of(12));
}

TEST_CASE("nor does who goes on with the loop around") {
  // 10 is the latch of the loop around, and 8 comes behind the loop within.
  const ControlFlow flow = graph({{4, 6, 6, 10, 4, 6, 8, 9, 10, 12}, {4, 6, 8, 9, 10, 12}});
  CHECK(loop_of(flow, 6).exit == flow.position_of(8));
}

TEST_CASE("the event that led to all paths may be the one where a round begins") {
  const ControlFlow flow = graph({{4, 2, 4, 2, 6}, {6}});
  CHECK(loop_of(flow, 4).begin == flow.position_of(2));
  CHECK(loop_of(flow, 2).exit == flow.position_of(6));
}

TEST_CASE("a loop that all lanes leave by returning has no place to wait but there") {
  const ControlFlow flow = graph({{4, 4, 7}, {4, 4, 4, 9}});
  const Loop& loop = loop_of(flow, 4);
  CHECK((loop.exit == flow.position_of(7) || loop.exit == flow.position_of(9)));
}

TEST_CASE("more events than the table begins with") {
  std::vector<Event> path;
  for (Event event = 4; event < 4000; event += 2)
    path.push_back(event);
  const ControlFlow flow = graph({path, {3998}});
  CHECK(in_order(flow, path));
}

TEST_CASE("graphs that are known already are those of their own paths") {
  simt::KnownControlFlows known;
  constexpr Event kSets = 200;  // more than are kept
  const auto flow_of = [&](Event set) -> const ControlFlow& {
    const std::vector<Event> one = {4, 1000 + 2 * set, 6};
    const std::vector<Event> other = {2000 + 2 * set, 1000 + 2 * set, 6};
    simt::DistinctPaths paths(2);
    paths.add(one.data(), one.data() + one.size());
    paths.add(other.data(), other.data() + other.size());
    return known.of(paths);
  };
  for (int round = 0; round < 2; ++round) {
    for (Event set = 0; set < kSets; ++set) {
      CHECK(in_order(flow_of(set), {4, 2000 + 2 * set, 1000 + 2 * set, 6}));
      CHECK(in_order(flow_of(set), {4, 2000 + 2 * set, 1000 + 2 * set, 6}));
    }
  }
}

TEST_CASE("an empty path is one of a known graph") {
  simt::KnownControlFlows known;
  const std::vector<Event> longer = {4, 6};
  simt::DistinctPaths paths(2);
  paths.add(longer.data(), longer.data() + longer.size());
  paths.add(nullptr, nullptr);
  CHECK(in_order(known.of(paths), {2, 4, 6}));
}

TEST_SUITE_END();
