// Reconvergence points of graphs whose answer is known.

#include "simt/executor/log/control_flow.h"

#include <doctest/doctest.h>
#include <vector>

namespace {

using simt::ControlFlow;
using simt::Event;

ControlFlow graph(const std::vector<std::vector<Event>>& paths, Event before = 1) {
  ControlFlow flow;
  for (const auto& path : paths)
    flow.add_path(before, path.data(), path.data() + path.size());
  return flow;
}

}  // namespace

TEST_SUITE_BEGIN("control_flow");

TEST_CASE("a straight path meets at its next event") {
  ControlFlow flow = graph({{2, 3, 4}});
  CHECK(flow.reconvergence_point(1) == 2);
  CHECK(flow.reconvergence_point(3) == 4);
  CHECK(flow.reconvergence_point(4) == ControlFlow::kEnd);
}

TEST_CASE("both sides of a branch meet behind it") {
  ControlFlow flow = graph({{2, 4, 5}, {3, 4, 5}});
  CHECK(flow.reconvergence_point(1) == 4);
  CHECK(flow.reconvergence_point(2) == 4);
}

TEST_CASE("a side may be empty") {
  ControlFlow flow = graph({{2, 3}, {3}});
  CHECK(flow.reconvergence_point(1) == 3);
}

TEST_CASE("lanes that leave a loop wait behind it") {
  ControlFlow flow = graph({{2, 2, 2, 3}, {2, 3}});
  CHECK(flow.reconvergence_point(2) == 3);
}

TEST_CASE("a branch within a loop meets within the round") {
  ControlFlow flow = graph({{2, 3, 5, 2, 4, 5, 6}, {2, 4, 5, 2, 3, 5, 6}});
  CHECK(flow.reconvergence_point(2) == 5);
  CHECK(flow.reconvergence_point(5) == 6);
}

TEST_CASE("nothing meets a lane that returns") {
  ControlFlow flow = graph({{2, 3}, {4}});
  CHECK(flow.reconvergence_point(1) == ControlFlow::kEnd);
}

TEST_CASE("a meeting point ends one path and begins the next") {
  ControlFlow flow = graph({{2, simt::kMeetingPoint, 4}, {3, simt::kMeetingPoint, 4}});
  CHECK(flow.reconvergence_point(2) == ControlFlow::kEnd);
  CHECK(flow.reconvergence_point(simt::kMeetingPoint) == 4);
}

TEST_CASE("graphs that are known already are those of their own paths") {
  simt::KnownControlFlows known;
  constexpr Event kSets = 100;  // more than are kept
  const auto flow_of = [&](Event set, Event before) -> ControlFlow& {
    const std::vector<Event> one = {2, 4 + set, 3};
    const std::vector<Event> other = {3 + kSets + set, 4 + set, 3};
    simt::DistinctPaths paths(before);
    paths.add(one.data(), one.data() + one.size());
    paths.add(other.data(), other.data() + other.size());
    return known.of(paths);
  };
  for (int round = 0; round < 2; ++round) {
    for (Event set = 0; set < kSets; ++set) {
      CHECK(flow_of(set, 1).reconvergence_point(1) == 4 + set);
      CHECK(flow_of(set, 1).reconvergence_point(1) == 4 + set);
      CHECK(flow_of(set, 5 * kSets).reconvergence_point(5 * kSets) == 4 + set);
    }
  }
}

TEST_CASE("an empty path is one of a known graph") {
  simt::KnownControlFlows known;
  const std::vector<Event> longer = {2, 3};
  simt::DistinctPaths paths(1);
  paths.add(longer.data(), longer.data() + longer.size());
  CHECK(known.of(paths).reconvergence_point(1) == 2);
  paths.add(nullptr, nullptr);
  CHECK(known.of(paths).reconvergence_point(1) == ControlFlow::kEnd);
}

TEST_SUITE_END();
