#include "simt/executor/log/code_flow.h"

#include <algorithm>

namespace simt {
namespace {

using Numbers = std::vector<std::uint32_t>;

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// From how many cases on compilers make a jump by a table of a switch.
constexpr std::size_t kCasesOfTable = 4;

bool contains(const Numbers& numbers, std::uint32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// A tree of which each node knows its parent, in an order that has parents first.
struct Tree {
  Numbers parent;  // kNone of what is not in it; the root is its own
  Numbers place;   // in that order

  bool has(std::uint32_t node) const { return parent[node] != kNone; }
  // The nearest that both lie below, or are.
  std::uint32_t common(std::uint32_t one, std::uint32_t other) const {
    while (one != other) {
      std::uint32_t& farther = place[one] > place[other] ? one : other;
      farther = parent[farther];
    }
    return one;
  }
};

// The nodes in an order in which each stands before what it leads to, but for what leads back.
Numbers in_order_from(const std::vector<Numbers>& next, std::uint32_t root) {
  struct Visit {
    std::uint32_t node;
    std::size_t done;
  };
  std::vector<bool> seen(next.size());
  std::vector<Visit> visits = {{root, 0}};
  seen[root] = true;
  Numbers order;
  while (!visits.empty()) {
    Visit& at = visits.back();
    if (at.done == next[at.node].size()) {
      order.push_back(at.node);
      visits.pop_back();
      continue;
    }
    const std::uint32_t to = next[at.node][at.done++];
    if (seen[to]) continue;
    seen[to] = true;
    visits.push_back({to, 0});
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<Numbers> reversed(const std::vector<Numbers>& next) {
  std::vector<Numbers> before(next.size());
  for (std::uint32_t node = 0; node < next.size(); ++node) {
    for (const std::uint32_t to : next[node])
      before[to].push_back(node);
  }
  return before;
}

// What all ways from the root to a node lead through: the nearest such node is its parent. After
// K. Cooper, T. Harvey and K. Kennedy, A simple, fast dominance algorithm (2001), figure 3.
Tree dominators(const std::vector<Numbers>& next, std::uint32_t root) {
  Tree tree{Numbers(next.size(), kNone), Numbers(next.size(), kNone)};
  const Numbers order = in_order_from(next, root);
  for (std::uint32_t i = 0; i < order.size(); ++i)
    tree.place[order[i]] = i;
  std::vector<Numbers> before = reversed(next);
  // The farthest first: so what they have in common is sought upwards once, and not from each.
  for (Numbers& nodes : before)
    std::sort(nodes.begin(), nodes.end(), [&](std::uint32_t one, std::uint32_t other) {
      return tree.place[one] > tree.place[other];
    });
  tree.parent[root] = root;
  for (bool changes = true; changes;) {
    changes = false;
    for (const std::uint32_t node : order) {
      if (node == root) continue;
      std::uint32_t parent = kNone;
      for (const std::uint32_t from : before[node]) {
        if (tree.has(from)) parent = parent == kNone ? from : tree.common(parent, from);
      }
      changes |= tree.parent[node] != parent;
      tree.parent[node] = parent;
    }
  }
  return tree;
}

void add_place(std::vector<MeetingPlace>& places, MeetingPlace place) {
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}

}  // namespace

// ---- one round of a loop, or the whole function ----

// Of a loop the blocks, those of inner ones too, and the ways that do not leave it. What leads to
// the header leads to the end.
struct CodeFlow::Round {
  std::uint32_t loop;
  Numbers blocks;             // by their numbers here
  Numbers here;               // the other way round, kNone for blocks elsewhere
  std::vector<Numbers> next;  // by numbers here
  Tree leading;               // what all ways to a block lead through
  Tree following;             // what all ways from a block lead through

  std::uint32_t end() const { return static_cast<std::uint32_t>(blocks.size()); }
};

// ---- the graph ----

BlockNumber CodeFlow::add_block(Event event) {
  const auto [known, is_new] =
      numbers_.try_emplace(event, static_cast<BlockNumber>(blocks_.size()));
  if (is_new) blocks_.push_back({.event = event, .next = {}, .beginnings = {}, .meetings = {}});
  return known->second;
}

void CodeFlow::add_way(BlockNumber from, BlockNumber to, unsigned loops) {
  while (blocks_[to].beginnings.size() < loops) {
    const auto beginning = static_cast<BlockNumber>(blocks_.size());
    const Blocks& inner = blocks_[to].beginnings;
    blocks_.push_back({.event = kNoEvent,
                       .next = {inner.empty() ? to : inner.back()},
                       .beginnings = {},
                       .meetings = {}});
    blocks_[to].beginnings.push_back(beginning);
  }
  if (loops > 0) to = blocks_[to].beginnings[loops - 1];
  if (!contains(blocks_[from].next, to)) blocks_[from].next.push_back(to);
}

BlockNumber CodeFlow::first_between(BlockNumber from, BlockNumber to) const {
  if (from == kNoBlock) return to;
  const Blocks& next = blocks_[from].next;
  const Blocks& between = blocks_[to].beginnings;
  const auto found = std::find_if(between.rbegin(), between.rend(),
                                  [&](BlockNumber each) { return contains(next, each); });
  return found == between.rend() || contains(next, to) ? to : *found;
}

void CodeFlow::find_meetings() {
  loops_.assign(1, {.header = 0, .around = 0, .meeting = {}});
  find_mere_returns();
  Blocks all(blocks_.size());
  for (BlockNumber block = 0; block < all.size(); ++block)
    all[block] = block;
  find_loops(all, 0);
  for (std::uint32_t loop = 0; loop < loops_.size(); ++loop) {
    const Round round = round_of(loop);
    find_shared_bodies(round);
    find_meetings_within(round);
    for (std::uint32_t inner = 1; inner < loops_.size(); ++inner) {
      if (loops_[inner].around == loop) find_meeting_behind(inner, round);
    }
  }
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    meet_as_in_loop(block);
}

// Whoever comes there is waited for nowhere, as by `return` in a kernel.
void CodeFlow::find_mere_returns() {
  for (bool changes = true; changes;) {
    changes = false;
    for (Block& block : blocks_) {
      if (block.only_returns || block.has_effects || (block.next.empty() && !block.returns))
        continue;
      block.only_returns = std::all_of(block.next.begin(), block.next.end(),
                                       [&](BlockNumber to) { return blocks_[to].only_returns; });
      changes |= block.only_returns;
    }
  }
}

// ---- its loops ----
//
// The strongly connected components of a graph are loops. Within a loop, so are those of what
// remains of it without the ways that lead back to its header. And so on (F. Bourdoncle, Efficient
// chaotic iteration strategies with widenings, 1993, section 3).

// Tarjan's search for components (Depth-first search and linear graph algorithms, 1972), without
// recursion: functions may be long.
struct CodeFlow::Search {
  struct Visit {
    BlockNumber block;
    std::size_t done;
  };
  std::vector<Visit> visits;
  Blocks open;  // visited, and of no component yet
  std::unordered_map<BlockNumber, std::uint32_t> number;
  std::unordered_map<BlockNumber, std::uint32_t> lowest;

  void visit(BlockNumber block) {
    number[block] = lowest[block] = static_cast<std::uint32_t>(number.size() + 1);
    open.push_back(block);
    visits.push_back({block, 0});
  }
};

std::vector<CodeFlow::Blocks> CodeFlow::components_of(const Blocks& blocks,
                                                      std::uint32_t loop) const {
  constexpr std::uint32_t kDone = ~std::uint32_t{0};
  Search search;
  std::vector<Blocks> components;
  const auto is_way = [&](BlockNumber to) {
    return blocks_[to].loop == loop && (loop == 0 || to != loops_[loop].header);
  };
  for (const BlockNumber first : blocks) {
    if (search.number.count(first) == 0) search.visit(first);
    while (!search.visits.empty()) {
      Search::Visit& at = search.visits.back();
      const BlockNumber block = at.block;
      if (at.done < blocks_[block].next.size()) {
        const BlockNumber to = blocks_[block].next[at.done++];
        if (!is_way(to)) continue;
        if (search.number.count(to) == 0) {
          search.visit(to);
        } else if (search.number[to] != kDone) {
          search.lowest[block] = std::min(search.lowest[block], search.number[to]);
        }
        continue;
      }
      search.visits.pop_back();
      const std::uint32_t lowest = search.lowest[block];
      if (!search.visits.empty()) {
        std::uint32_t& of_last = search.lowest[search.visits.back().block];
        of_last = std::min(of_last, lowest);
      }
      if (lowest != search.number[block]) continue;
      const auto begin = std::find(search.open.rbegin(), search.open.rend(), block).base() - 1;
      components.emplace_back(begin, search.open.end());
      search.open.erase(begin, search.open.end());
      for (const BlockNumber member : components.back())
        search.number[member] = kDone;
    }
  }
  return components;
}

void CodeFlow::find_loops(const Blocks& blocks, std::uint32_t loop) {
  for (const Blocks& component : components_of(blocks, loop)) {
    const BlockNumber first = component.front();
    const bool is_around_itself =
        contains(blocks_[first].next, first) && (loop == 0 || first != loops_[loop].header);
    if (component.size() == 1 && !is_around_itself) continue;
    const auto number = static_cast<std::uint32_t>(loops_.size());
    const BlockNumber header = header_of(component, loop);
    loops_.push_back({.header = header, .around = loop, .meeting = {}});
    for (const BlockNumber block : component)
      blocks_[block].loop = number;
    find_loops(component, number);
  }
}

// Where a round begins: where the loop is entered, as a rule.
BlockNumber CodeFlow::header_of(const Blocks& component, std::uint32_t around) const {
  Blocks entries;
  for (BlockNumber from = 0; from < blocks_.size(); ++from) {
    if (blocks_[from].loop != around || contains(component, from)) continue;
    for (const BlockNumber to : blocks_[from].next) {
      if (contains(component, to)) entries.push_back(to);
    }
  }
  const BlockNumber entry =
      entries.empty() ? component.front() : *std::min_element(entries.begin(), entries.end());
  return where_all_rounds_begin(component, entry);
}

// Compilers make two loops of one whose rounds may end early: an inner one of rounds that do, and
// one around it of the others. It is the inner one that has the test by which all leave. Then all
// rounds begin there.
BlockNumber CodeFlow::where_all_rounds_begin(const Blocks& loop, BlockNumber entry) const {
  const auto ways_out = [&](BlockNumber block) {
    Blocks ways = blocks_[block].next;
    std::erase_if(ways, [&](BlockNumber to) { return contains(loop, to); });
    return ways;
  };
  Blocks all;
  for (const BlockNumber block : loop) {
    for (const BlockNumber way : ways_out(block))
      if (!contains(all, way)) all.push_back(way);
  }
  for (const BlockNumber test : loop) {
    if (test == entry || all.empty() || ways_out(test).size() != all.size()) continue;
    Blocks begins = {test};
    bool is_inner = false;
    for (const BlockNumber next : blocks_[test].next) {
      if (!contains(loop, next) || next == entry) continue;
      if (is_reached(entry, next, test, loop)) begins.push_back(next);
      is_inner |= is_reached(next, test, entry, loop);
    }
    if (!is_inner) continue;
    for (const BlockNumber begin : begins) {
      if (!has_rounds_without(loop, begin)) return begin;
    }
  }
  return entry;
}

// Whether a way leads from one block of a loop to another, within the loop and past a third.
bool CodeFlow::is_reached(BlockNumber from, BlockNumber to, BlockNumber past,
                          const Blocks& within) const {
  Blocks seen = {from, past};
  Blocks open = {from};
  while (!open.empty()) {
    const BlockNumber block = open.back();
    open.pop_back();
    if (block == to) return true;
    for (const BlockNumber next : blocks_[block].next) {
      if (contains(seen, next) || !contains(within, next)) continue;
      seen.push_back(next);
      open.push_back(next);
    }
  }
  return false;
}

// Whether a loop's blocks lead back to themselves without this one: by taking away, again and
// again, those that nothing leads to.
bool CodeFlow::has_rounds_without(const Blocks& loop, BlockNumber left_out) const {
  std::unordered_map<BlockNumber, std::size_t> leading;
  const auto for_next = [&](BlockNumber block, auto&& what) {
    for (const BlockNumber next : blocks_[block].next) {
      if (next != left_out && contains(loop, next)) what(next);
    }
  };
  for (const BlockNumber block : loop)
    for_next(block, [&](BlockNumber next) { ++leading[next]; });
  Blocks free = {left_out};
  for (const BlockNumber block : loop) {
    if (block != left_out && leading[block] == 0) free.push_back(block);
  }
  for (std::size_t i = 0; i < free.size(); ++i)
    for_next(free[i], [&](BlockNumber next) {
      if (--leading[next] == 0) free.push_back(next);
    });
  return free.size() < loop.size();
}

bool CodeFlow::is_within(std::uint32_t loop, std::uint32_t around) const {
  while (loop != around && loop != 0)
    loop = loops_[loop].around;
  return loop == around;
}

// ---- where lanes meet ----

CodeFlow::Round CodeFlow::round_of(std::uint32_t loop) const {
  Round round{loop, {}, Numbers(blocks_.size(), kNone), {}, {}, {}};
  const BlockNumber header = loops_[loop].header;
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    if (!is_within(blocks_[block].loop, loop)) continue;
    round.here[block] = round.end();
    round.blocks.push_back(block);
  }
  round.next.resize(round.blocks.size() + 1);
  for (std::uint32_t i = 0; i < round.end(); ++i)
    round.next[i] = ways_in(round, i, true);
  // Ways that merely return do not count, but for those who have no other.
  std::vector<bool> stays(round.next.size());
  for (const std::uint32_t i : in_order_from(reversed(round.next), round.end()))
    stays[i] = true;
  for (std::uint32_t i = 0; i < round.end(); ++i)
    if (!stays[i]) round.next[i] = ways_in(round, i, false);
  round.leading = dominators(round.next, round.here[header]);
  round.following = dominators(reversed(round.next), round.end());
  return round;
}

// From a block on, as numbers of the round.
std::vector<std::uint32_t> CodeFlow::ways_in(const Round& round, std::uint32_t from,
                                             bool without_mere_returns) const {
  const Block& block = blocks_[round.blocks[from]];
  const bool may_stay = std::any_of(block.next.begin(), block.next.end(),
                                    [&](BlockNumber to) { return !blocks_[to].only_returns; });
  Numbers ways;
  for (const BlockNumber to : block.next) {
    if (round.here[to] == kNone) continue;
    if (without_mere_returns && may_stay && blocks_[to].only_returns) continue;
    const bool is_next_round = round.loop != 0 && to == loops_[round.loop].header;
    ways.push_back(is_next_round ? round.end() : round.here[to]);
  }
  if (round.loop == 0 && block.returns) ways.push_back(round.end());
  return ways;
}

void CodeFlow::find_meetings_within(const Round& round) {
  for (std::uint32_t i = 0; i < round.end(); ++i) {
    Block& block = blocks_[round.blocks[i]];
    if (block.loop != round.loop || !round.following.has(i)) continue;
    const std::uint32_t meeting = round.following.parent[i];
    const bool at_end = meeting == round.end();
    if (at_end && round.loop != 0) {
      add_place(block.meetings, {loops_[round.loop].header});
    } else {
      add_place(block.meetings, {at_end ? kNoBlock : round.blocks[meeting]});
    }
  }
}

// From where lanes go on to a place by tests alone, or leave the loop. `order` has what a block
// leads to before it.
std::vector<bool> CodeFlow::leading_straight_to(const Round& round, std::uint32_t place,
                                                const std::vector<std::uint32_t>& order) const {
  std::vector<bool> straight(round.next.size());
  straight[place] = true;
  for (const std::uint32_t i : order) {
    if (i == round.end() || straight[i] || blocks_[round.blocks[i]].has_effects) continue;
    straight[i] = blocks_[round.blocks[i]].loop == round.loop &&
                  std::all_of(round.next[i].begin(), round.next[i].end(),
                              [&](std::uint32_t to) { return straight[to]; });
  }
  return straight;
}

// A block that some come to whom a test has parted, where the others go on to where all meet.
void CodeFlow::find_shared_bodies(const Round& round) {
  const std::vector<Numbers> before = reversed(round.next);
  const auto place_of = [&](std::uint32_t i) -> MeetingPlace {
    if (i != round.end()) return {round.blocks[i]};
    return {round.loop != 0 ? loops_[round.loop].header : kNoBlock};
  };
  Numbers order = in_order_from(round.next, round.here[loops_[round.loop].header]);
  std::reverse(order.begin(), order.end());  // those in which the most ends last
  struct SharedBody {
    std::uint32_t body;
    std::uint32_t head;
  };
  std::vector<SharedBody> shared;
  std::unordered_map<std::uint32_t, std::vector<bool>> straight_to;  // by meeting
  const auto is_test = [&](std::uint32_t i) {
    const Block& block = blocks_[round.blocks[i]];
    return block.loop == round.loop && block.next.size() <= kCasesOfTable;
  };
  for (const std::uint32_t body : order) {
    if (body == round.end() || before[body].size() < 2) continue;
    if (blocks_[round.blocks[body]].loop != round.loop || !round.leading.has(body)) continue;
    const std::uint32_t head = round.leading.parent[body];
    if (!round.following.has(head)) continue;
    const std::uint32_t meeting = round.following.parent[head];
    if (meeting == body || head == body || !is_test(head)) continue;
    Numbers region = {head};  // from the head to the body
    std::vector<bool> is_in_region(round.next.size());
    is_in_region[head] = true;
    for (std::size_t i = 0; i < 1 || i < region.size(); ++i) {
      const std::uint32_t to = i == 0 ? body : region[i];
      for (const std::uint32_t from : before[to]) {
        if (is_in_region[from] || !round.leading.has(from)) continue;
        is_in_region[from] = true;
        region.push_back(from);
      }
    }
    std::vector<bool>& straight = straight_to[meeting];
    if (straight.empty()) straight = leading_straight_to(round, meeting, order);
    // One switch is like tests one after the other, of which those come first that lead farther.
    const auto is_later_case = [&](std::uint32_t i, std::uint32_t to) {
      return i == head && std::any_of(shared.begin(), shared.end(), [&](const SharedBody& later) {
               return later.head == head && later.body == to;
             });
    };
    const bool is_shared = std::all_of(region.begin(), region.end(), [&](std::uint32_t i) {
      return is_test(i) &&
             std::all_of(round.next[i].begin(), round.next[i].end(), [&](std::uint32_t to) {
               return to == body || is_in_region[to] || straight[to] || is_later_case(i, to);
             });
    });
    if (!is_shared) continue;
    shared.push_back({body, head});
    for (const std::uint32_t i : region) {
      add_place(blocks_[round.blocks[i]].meetings, place_of(meeting));
      add_place(blocks_[round.blocks[i]].meetings, place_of(body));
    }
  }
}

// Behind a loop, at the first place that all ways out lead through. Ways that merely return do not
// count, nor do those that leave the loop around it as well.
void CodeFlow::find_meeting_behind(std::uint32_t number, const Round& around) {
  Loop& loop = loops_[number];
  struct WayOut {
    std::uint32_t to;
    bool by_test;  // of a round, which compilers put at its end or where it begins
    bool only_returns;
  };
  std::vector<WayOut> ways;
  for (const BlockNumber block : around.blocks) {
    if (!is_within(blocks_[block].loop, number)) continue;
    const Blocks& next = blocks_[block].next;
    for (const BlockNumber to : next) {
      if (around.here[to] == kNone || is_within(blocks_[to].loop, number)) continue;
      const bool is_next_round = around.loop != 0 && to == loops_[around.loop].header;
      const std::uint32_t here = is_next_round ? around.end() : around.here[to];
      if (!around.following.has(here)) continue;
      ways.push_back(
          {here, block == loop.header || contains(next, loop.header), blocks_[to].only_returns});
    }
  }
  const bool some_stay =
      std::any_of(ways.begin(), ways.end(), [](const WayOut& way) { return !way.only_returns; });
  if (some_stay) std::erase_if(ways, [](const WayOut& way) { return way.only_returns; });
  if (ways.empty()) return;
  std::uint32_t meeting = ways[0].to;
  for (const WayOut& way : ways)
    meeting = around.following.common(meeting, way.to);
  if (meeting == around.end() && around.loop == 0) {
    for (const WayOut& way : ways)
      if (way.by_test) meeting = way.to;
  }
  loop.has_meeting = true;
  if (meeting != around.end()) {
    loop.meeting = {around.blocks[meeting]};
  } else {
    loop.meeting = {around.loop == 0 ? kNoBlock : loops_[around.loop].header};
  }
}

// A compiler may make the first test of the first round before the loop: then it leads where the
// test in the loop does.
void CodeFlow::meet_as_in_loop(BlockNumber copy) {
  const Blocks& next = blocks_[copy].next;
  if (next.size() < 2) return;
  const std::uint32_t loop = blocks_[next[0]].loop;
  if (loop == 0 || loops_[loop].around != blocks_[copy].loop) return;
  for (const Block& test : blocks_) {
    const bool is_copied = test.loop == loop && test.next.size() == next.size() &&
                           std::all_of(next.begin(), next.end(), [&](BlockNumber to) {
                             return blocks_[to].loop == loop && contains(test.next, to);
                           });
    if (!is_copied) continue;
    blocks_[copy].meetings.clear();
    if (loops_[loop].has_meeting) blocks_[copy].meetings.push_back(loops_[loop].meeting);
    for (const MeetingPlace place : test.meetings)
      add_place(blocks_[copy].meetings, place);
    return;
  }
}

std::vector<MeetingPlace> CodeFlow::loops_entered(BlockNumber from, BlockNumber to) const {
  std::vector<MeetingPlace> places;
  for (std::uint32_t loop = blocks_[to].loop; loop != 0; loop = loops_[loop].around) {
    if (from != kNoBlock && is_within(blocks_[from].loop, loop)) break;
    if (loops_[loop].has_meeting) places.push_back(loops_[loop].meeting);
  }
  std::reverse(places.begin(), places.end());
  return places;
}

}  // namespace simt
