// Where lanes meet in graphs whose answer is known: that of the code which stands beside them.

#include "simt/executor/log/code_flow.h"

#include <algorithm>
#include <bit>
#include <ctime>
#include <doctest/doctest.h>
#include <limits>
#include <utility>
#include <vector>

#include "simt/executor/log/known_code.h"

namespace {

using simt::BlockNumber;
using simt::CodeFlow;
using simt::Event;
using simt::kNoBlock;
using simt::MeetingPlace;

using Ways = std::vector<std::pair<BlockNumber, BlockNumber>>;
using Blocks = std::vector<BlockNumber>;

Event block_at(std::uintptr_t place) {
  return simt::basic_block_event(0x100000 + place);
}
Event access_at(std::uintptr_t place) {
  return simt::access_event(0x100000 + place);
}

// Blocks 0 to `count` - 1, of which the last one returns. All have an access but for those that
// merely test or return.
struct Graph {
  CodeFlow flow;

  Graph(BlockNumber count, const Ways& ways, const Blocks& without_access = {}) {
    for (BlockNumber block = 0; block < count; ++block) {
      flow.add_block(block_at(block));
      const bool has_access =
          std::find(without_access.begin(), without_access.end(), block) == without_access.end();
      if (has_access) flow.add_effect(block, access_at(block));
    }
    for (const auto& [from, to] : ways)
      flow.add_way(from, to);
    flow.add_return(count - 1);
  }
  // Once all has been added.
  CodeFlow& analyzed() {
    flow.find_meetings();
    return flow;
  }
};

// The blocks at which those meet who part there, the last one first; kNoBlock is the return.
Blocks meetings(const CodeFlow& flow, BlockNumber block) {
  Blocks blocks;
  for (const MeetingPlace place : flow.meetings_of(block))
    blocks.push_back(place.block);
  return blocks;
}

// Those behind the loops that begin on this way.
Blocks behind_loops(const CodeFlow& flow, BlockNumber from, BlockNumber to) {
  Blocks blocks;
  for (const MeetingPlace place : flow.loops_entered(from, to))
    blocks.push_back(place.block);
  return blocks;
}

}  // namespace

TEST_SUITE_BEGIN("code_flow");

TEST_CASE("both sides of a branch meet behind it") {
  Graph graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  CHECK(meetings(graph.analyzed(), 0) == Blocks{3});
}

TEST_CASE("a branch in a side of another") {
  // if (a) { if (b) x; y; } z;
  Graph graph(5, {{0, 1}, {0, 4}, {1, 2}, {1, 3}, {2, 3}, {3, 4}});
  CodeFlow& flow = graph.analyzed();
  CHECK(meetings(flow, 0) == Blocks{4});
  CHECK(meetings(flow, 1) == Blocks{3});
}

TEST_CASE("lanes that leave a loop meet behind it, those that stay where the next round begins") {
  // do { if (a) x; } while (b); y;
  Graph graph(5, {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 1}, {3, 4}});
  CodeFlow& flow = graph.analyzed();
  CHECK(behind_loops(flow, 0, 1) == Blocks{4});
  CHECK(behind_loops(flow, 3, 1).empty());
  CHECK(meetings(flow, 1) == Blocks{3});
}

TEST_CASE("`continue` meets at the end of the round, though `break` leads elsewhere") {
  // for (;;) { a; if (b) continue; if (c) break; d; latch } e;
  Graph graph(7, {{0, 1}, {1, 5}, {1, 2}, {2, 6}, {2, 3}, {3, 4}, {4, 5}, {5, 1}});
  CodeFlow& flow = graph.analyzed();
  CHECK(meetings(flow, 1) == Blocks{5});
  CHECK(behind_loops(flow, 0, 1) == Blocks{6});
}

TEST_CASE("what stands before a `break` is done at once, and lanes wait behind it") {
  // while (a) { if (b) { x; break; } c; } y;
  Graph graph(6, {{0, 1}, {1, 2}, {1, 5}, {2, 3}, {2, 4}, {4, 1}, {3, 5}});
  CHECK(behind_loops(graph.analyzed(), 0, 1) == Blocks{5});
}

TEST_CASE("nobody waits for those who return from a loop") {
  // while (a) { if (b) return; } x; return;
  Graph graph(5, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {2, 1}, {3, 4}}, {4});
  CHECK(behind_loops(graph.analyzed(), 0, 1) == Blocks{3});
}

TEST_CASE("a body that several tests lead to is run once") {
  // if (a || b || c) body; end
  Graph graph(5, {{0, 3}, {0, 1}, {1, 3}, {1, 2}, {2, 3}, {2, 4}, {3, 4}});
  CodeFlow& flow = graph.analyzed();
  CHECK(meetings(flow, 0) == Blocks{4, 3});
  CHECK(meetings(flow, 2) == Blocks{4, 3});
}

TEST_CASE("a third test is not, for some who part before it go elsewhere") {
  // if ((a && b) || c) body; end
  Graph graph(5, {{0, 1}, {0, 2}, {1, 3}, {1, 2}, {2, 3}, {2, 4}, {3, 4}});
  CHECK(meetings(graph.analyzed(), 0) == Blocks{4, 3});
}

TEST_CASE("cases that fall through are run once for all who come there") {
  // switch (a) { case 3: x; case 2: y; case 1: z; } end
  Graph graph(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 3}, {3, 4}});
  CHECK(meetings(graph.analyzed(), 0) == Blocks{4, 3, 2});
}

TEST_CASE("a switch of many cases is a table, whose cases do not meet before all do") {
  Graph graph(
      8, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 6}, {2, 6}, {3, 6}, {4, 7}, {5, 7}, {6, 7}});
  CHECK(meetings(graph.analyzed(), 0) == Blocks{7});
}

TEST_CASE("the time for a switch grows with its cases, not with their square") {
  // switch (a) { case 1: x; case 2: y; ... } end, of which a tree of tests leads to the middle
  // first
  const auto seconds_for = [](BlockNumber cases) {
    Ways ways = {{0, cases + 1}};
    for (BlockNumber step = std::bit_ceil(cases); step > 0; step /= 2) {
      for (BlockNumber block = step; block <= cases; block += 2 * step)
        ways.emplace_back(0, block);
    }
    for (BlockNumber block = 1; block <= cases; ++block)
      ways.emplace_back(block, block + 1);
    std::clock_t least = std::numeric_limits<std::clock_t>::max();
    for (int time = 0; time < 5; ++time) {
      Graph graph(cases + 2, ways);
      const std::clock_t before = std::clock();
      CHECK(meetings(graph.analyzed(), 0) == Blocks{cases + 1});
      least = std::min(least, std::clock() - before);
    }
    return static_cast<double>(least);
  };
  const double few = seconds_for(2000);
  CHECK(seconds_for(16000) < 24 * few);  // 8 times as many
}

TEST_CASE("ways back to one place are one loop, if not another begins there") {
  // do { a; if (b) continue; c; } while (d): both lead back to 1.
  const Ways ways = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  Graph one(5, ways);
  one.flow.add_way(2, 1);
  one.flow.add_way(3, 1);
  CHECK(meetings(one.analyzed(), 2) == Blocks{1});

  // do { do { a; } while (b); c; } while (d): the way back from c begins the inner loop.
  Graph two(5, {{1, 2}, {2, 3}, {3, 4}});
  two.flow.add_way(0, 1, 1);
  two.flow.add_way(2, 1);
  two.flow.add_way(3, 1, 1);
  CodeFlow& flow = two.analyzed();
  REQUIRE(flow.blocks() == 6);
  const BlockNumber beginning = 5;
  CHECK(flow.event(beginning) == simt::kNoEvent);
  CHECK(flow.first_between(3, 1) == beginning);
  CHECK(flow.after(beginning) == 1);
  CHECK(flow.first_between(2, 1) == 1);
  CHECK(behind_loops(flow, 3, 1) == Blocks{3});
  CHECK(behind_loops(flow, 2, 1).empty());
  CHECK(behind_loops(flow, 0, 1) == Blocks{4, 3});
}

TEST_CASE("an inner loop by whose test all leave is no loop of its own") {
  // What compilers make of for (; 1; ) { if (a) break; if (b) continue; c; }: rounds that end early
  // lead from 2 to 3, and the others from 4 to 1 and on to 3, where the test stands.
  Graph graph(6, {{0, 1}, {1, 3}, {3, 2}, {3, 5}, {2, 3}, {2, 4}, {4, 1}});
  CHECK(behind_loops(graph.analyzed(), 0, 1) == Blocks{5});
  CHECK(meetings(graph.flow, 2) == Blocks{3});
}

TEST_CASE("a test that a compiler makes before the loop is one of its rounds'") {
  // do { if (a || b) body; latch } while (c); the first `a` stands in block 0, the others in 4.
  Graph graph(6, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {3, 5}, {4, 1}, {4, 2}}, {3});
  CHECK(meetings(graph.analyzed(), 4) == Blocks{3, 2});
  CHECK(meetings(graph.flow, 0) == Blocks{5, 3, 2});
}

TEST_CASE("in a function that others call, all meet behind its return") {
  // if (a) return; if (b) x; return;
  Graph graph(4, {{0, 3}, {0, 1}, {1, 2}, {1, 3}, {2, 3}}, {3});
  CHECK(meetings(graph.analyzed(), 3) == Blocks{kNoBlock});
}

TEST_CASE("a function of a single block") {
  Graph graph(1, {});
  CHECK(meetings(graph.analyzed(), 0) == Blocks{kNoBlock});
  CHECK(behind_loops(graph.flow, kNoBlock, 0).empty());
}

TEST_CASE("what lanes have done tells ways, too") {
  simt::Whereabouts where;
  where.pass(block_at(0));
  simt::KnownCode code;
  const std::vector<std::vector<Event>> paths = {
      {block_at(1), access_at(1), block_at(3), simt::call_event(0x100030), block_at(7),
       simt::return_event(0x100030), block_at(4)},
      {block_at(2), block_at(3), simt::call_event(0x100030), block_at(7), block_at(8),
       simt::return_event(0x100030), block_at(4)}};
  for (const std::vector<Event>& path : paths)
    code.learn(where, path.data(), path.data() + path.size());
  code.end_learning();

  const auto place = [&](std::uintptr_t at) {
    return code.place_of(block_at(at), simt::kNoEntries, 0x100000);
  };
  REQUIRE(place(0).flow != nullptr);
  CHECK(meetings(*place(0).flow, place(0).block) == Blocks{place(3).block});
  CHECK(place(3).flow == place(0).flow);
  CHECK(place(7).flow != place(0).flow);
  CHECK(code.function_of(access_at(1)) == place(0).flow);
  CHECK(code.function_of(access_at(9)) == nullptr);
  CHECK(place(9).flow == nullptr);
}

TEST_CASE("a warp is in the functions that it has called") {
  simt::Whereabouts where;
  where.pass(block_at(0));
  where.pass(access_at(1));
  where.pass(simt::call_event(0x100030));
  where.pass(block_at(7));
  where.pass(block_at(8));
  REQUIRE(where.activations().size() == 2);
  CHECK(where.activations()[0].block == block_at(0));
  CHECK(where.activations()[1].entries[0] == block_at(7));
  CHECK(where.activations()[1].entries[1] == simt::kNoEvent);
  CHECK(where.activations()[1].block == block_at(8));
  where.pass(simt::return_event(0x100030));
  REQUIRE(where.activations().size() == 1);
  CHECK(where.activations()[0].block == block_at(0));
  where.pass(simt::return_event(0x100030));  // to where nobody has seen it
  REQUIRE(where.activations().size() == 1);
  CHECK(where.activations()[0].block == simt::kNoEvent);
}

TEST_SUITE_END();
