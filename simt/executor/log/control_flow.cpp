#include "simt/executor/log/control_flow.h"

#include <algorithm>
#include <tuple>

namespace simt {
namespace {

constexpr std::uint32_t kNoNode = ~std::uint32_t{0};
constexpr std::size_t kLeastRoom = 64;

constexpr std::uint32_t kNoContext = ~std::uint32_t{0};

std::size_t hash_of(Event event, std::uint32_t of) {
  // The golden ratio's bits: odd, and without order.
  return (event + (std::uint64_t{of} << 32)) * 0x9e3779b97f4a7c15u >> 32;
}

}  // namespace

// ---- the graph ----

void ControlFlow::clear() {
  table_.assign(kLeastRoom, kNoNode);
  events_.clear();
  of_.clear();
  called_.clear();
  callers_.assign(1, kNoContext);
  successors_.clear();
  positions_.clear();
  nodes_.clear();
  loop_at_.clear();
  loops_.clear();
}

ControlFlow::Node ControlFlow::find(Event event, std::uint32_t of) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = hash_of(event, of) & mask;; slot = (slot + 1) & mask) {
    const Node node = table_[slot];
    if (node == kNoNode || (events_[node] == event && of_[node] == of)) return node;
  }
}

ControlFlow::Node ControlFlow::add_node(Event event, std::uint32_t of) {
  const Node known = find(event, of);
  if (known != kNoNode) return known;
  const auto node = static_cast<Node>(events_.size());
  events_.push_back(event);
  of_.push_back(of);
  called_.push_back(kNoContext);
  successors_.emplace_back();
  const bool is_full = 2 * events_.size() > table_.size();
  if (is_full) table_.assign(2 * table_.size(), kNoNode);
  for (Node left_out = is_full ? 0 : node; left_out <= node; ++left_out)
    put_in_table(left_out);
  return node;
}

void ControlFlow::put_in_table(Node node) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash_of(events_[node], of_[node]) & mask;
  while (table_[slot] != kNoNode)
    slot = (slot + 1) & mask;
  table_[slot] = node;
}

// The spot behind an event, whose context may be new. Paths may begin in a function, and return
// from it.
Spot ControlFlow::go_on(Spot spot, Event event, Node node) {
  const auto add = [&](std::uint32_t caller) {
    callers_.push_back(caller);
    return static_cast<std::uint32_t>(callers_.size() - 1);
  };
  if (is_call(event) && called_[node] == kNoContext) called_[node] = add(spot.context);
  if (is_return(event) && callers_[spot.context] == kNoContext) {
    const std::uint32_t caller = add(kNoContext);
    callers_[spot.context] = caller;
  }
  return behind(spot, event);
}

void ControlFlow::add_edge(Node from, Node to) {
  std::vector<Node>& to_all = successors_[from];
  if (std::find(to_all.begin(), to_all.end(), to) == to_all.end()) to_all.push_back(to);
}

void ControlFlow::add_path(Event before, const Event* begin, const Event* end) {
  Node previous = add_node(before, 0);
  Spot spot = go_on({}, before, previous);
  for (const Event* event = begin; event != end; ++event) {
    const Node node = add_node(*event, is_of_line(*event) ? spot.block : spot.context);
    add_edge(previous, node);
    previous = node;
    spot = go_on(spot, *event, node);
  }
}

// ---- its order ----
//
// The strongly connected components of a graph, each of which is a loop or a single node, have an
// order. Within a loop, so have those of what remains of it without the edges that lead back to
// its first node. And so on.

// Tarjan's search for components (Depth-first search and linear graph algorithms, 1972), without
// recursion: paths may be as long as a kernel.
struct ControlFlow::Search {
  struct Visit {
    Node node;
    std::size_t next;  // how many of its successors have not been looked at
  };
  std::vector<Visit> visits;
  std::vector<Node> open;                     // visited, and of no component yet
  std::vector<std::vector<Node>> components;  // the last first; each begins where it was entered
};

void ControlFlow::put_in_order(const Opening& opening) {
  nodes_.clear();
  loop_at_.clear();
  around_start_.clear();
  positions_.assign(events_.size(), kNoPosition);
  part_.assign(events_.size(), 0);
  number_.assign(events_.size(), 0);
  lowest_.assign(events_.size(), 0);
  loops_.assign(1, {});
  if (!events_.empty()) order_from(0, 0, opening);
  loops_[0].end = static_cast<Position>(nodes_.size());
  find_all_exits();
}

// What is reached from `start` within a loop, without the edges that lead back to where it begins.
void ControlFlow::order_from(Node start, std::uint32_t loop, const Opening& opening) {
  constexpr std::uint32_t kDone = ~std::uint32_t{0};
  std::uint32_t count = 0;
  Search search;
  const auto visit = [&](Node node) {
    number_[node] = lowest_[node] = ++count;
    search.open.push_back(node);
    search.visits.push_back({node, successors_[node].size()});
  };
  const auto is_looked_at = [&](Node node) {
    return part_[node] == loop && (loop == 0 || node != start);
  };
  visit(start);
  while (!search.visits.empty()) {
    Search::Visit& at = search.visits.back();
    const Node node = at.node;
    if (at.next > 0) {
      // The first successor comes last, and so stands first in the order.
      const Node next = successors_[node][--at.next];
      if (!is_looked_at(next) || number_[next] == kDone) continue;
      if (number_[next] == 0) {
        visit(next);
      } else {
        lowest_[node] = std::min(lowest_[node], number_[next]);
      }
      continue;
    }
    search.visits.pop_back();
    if (!search.visits.empty()) {
      const Node from = search.visits.back().node;
      lowest_[from] = std::min(lowest_[from], lowest_[node]);
    }
    if (lowest_[node] != number_[node]) continue;
    const auto first = std::find(search.open.rbegin(), search.open.rend(), node).base() - 1;
    search.components.emplace_back(first, search.open.end());
    search.open.erase(first, search.open.end());
    for (const Node member : search.components.back())
      number_[member] = kDone;
  }
  for (auto component = search.components.rbegin(); component != search.components.rend();
       ++component) {
    const Node first = component->front();
    const std::vector<Node>& next = successors_[first];
    const bool is_around_itself =
        is_looked_at(first) && std::find(next.begin(), next.end(), first) != next.end();
    if (component->size() > 1 || is_around_itself) {
      order_loop(*component, loop, opening);
    } else {
      positions_[first] = static_cast<Position>(nodes_.size());
      nodes_.push_back(first);
      loop_at_.push_back(loop);
    }
  }
}

void ControlFlow::order_loop(const std::vector<Node>& nodes, std::uint32_t around,
                             const Opening& opening) {
  const auto loop = static_cast<std::uint32_t>(loops_.size());
  loops_.push_back({.begin = static_cast<Position>(nodes_.size()), .around = around});
  for (const Node node : nodes) {
    part_[node] = loop;
    number_[node] = 0;
  }
  const Node entry = first_of_round(nodes, opening);
  const Node begin = where_all_rounds_begin(nodes, entry);
  // Where a round begins with the test that ends the loop, whoever enters elsewhere has a round of
  // its own before that, as the first one of which a compiler has made the test earlier.
  const std::vector<Node>& of_begin = successors_[begin];
  const bool tests_first =
      std::any_of(of_begin.begin(), of_begin.end(), [&](Node to) { return part_[to] != loop; });
  for (Node from = 0; tests_first && from < events_.size(); ++from) {
    if (part_[from] == loop) continue;
    for (const Node to : successors_[from])
      loops_[loop].is_entered_within |= part_[to] == loop && to != begin;
  }
  order_from(begin, loop, opening);
  loops_[loop].end = static_cast<Position>(nodes_.size());
}

// Where a loop is entered; if all paths begin within it, where it was.
ControlFlow::Node ControlFlow::first_of_round(const std::vector<Node>& nodes,
                                              const Opening& opening) {
  if (nodes.front() != 0) return nodes.front();
  around_start_ = nodes;
  return entry_ = entry_of(opening);
}

// Compilers make two loops of one whose rounds may end early: an inner one of rounds that do, and
// one around it of the others. It is the inner one that has the test by which all leave. Then all
// rounds begin there.
ControlFlow::Node ControlFlow::where_all_rounds_begin(const std::vector<Node>& nodes,
                                                      Node entry) const {
  const std::uint32_t loop = part_[entry];
  const auto ways_out = [&](Node node) {
    std::vector<Node> ways = successors_[node];
    std::erase_if(ways, [&](Node to) { return part_[to] == loop; });
    return ways;
  };
  std::vector<Node> all;
  for (const Node node : nodes) {
    for (const Node way : ways_out(node))
      if (std::find(all.begin(), all.end(), way) == all.end()) all.push_back(way);
  }
  for (const Node test : nodes) {
    if (test == entry || all.empty() || ways_out(test).size() != all.size()) continue;
    std::vector<Node> begins = {test};
    for (const Node next : successors_[test]) {
      if (part_[next] == loop && next != entry && is_reached(entry, next, test))
        begins.push_back(next);
    }
    const bool is_inner =
        std::any_of(successors_[test].begin(), successors_[test].end(), [&](Node next) {
          return part_[next] == loop && next != entry && is_reached(next, test, entry);
        });
    for (const Node begin : begins) {
      if (is_inner && !has_rounds_without(nodes, begin)) return begin;
    }
  }
  return entry;
}

// Whether a way leads from one node of a loop to another, within the loop and past a third.
bool ControlFlow::is_reached(Node from, Node to, Node past) const {
  std::vector<bool> seen(events_.size());
  std::vector<Node> open = {from};
  seen[from] = seen[past] = true;
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (node == to) return true;
    for (const Node next : successors_[node]) {
      if (seen[next] || part_[next] != part_[from]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return false;
}

// Whether a loop's nodes lead back to themselves without this one: by taking away, again and again,
// those that nothing leads to.
bool ControlFlow::has_rounds_without(const std::vector<Node>& nodes, Node left_out) const {
  const std::uint32_t loop = part_[left_out];
  std::vector<std::uint32_t> leading(events_.size());
  const auto for_next = [&](Node node, auto&& what) {
    for (const Node next : successors_[node]) {
      if (part_[next] == loop && next != left_out) what(next);
    }
  };
  for (const Node node : nodes)
    for_next(node, [&](Node next) { ++leading[next]; });
  std::vector<Node> free = {left_out};
  for (const Node node : nodes) {
    if (node != left_out && leading[node] == 0) free.push_back(node);
  }
  for (std::size_t i = 0; i < free.size(); ++i)
    for_next(free[i], [&](Node next) {
      if (--leading[next] == 0) free.push_back(next);
    });
  return free.size() < nodes.size();
}

// The node of the loop around the start that an opening has come to first.
ControlFlow::Node ControlFlow::entry_of(const Opening& opening) const {
  for (const std::span<const Event> part : opening) {
    for (const Event event : part) {
      const auto found = std::find_if(around_start_.begin(), around_start_.end(),
                                      [&](Node node) { return events_[node] == event; });
      if (found != around_start_.end()) return *found;
    }
  }
  return around_start_.front();
}

// ---- where lanes that have left a loop wait ----
//
// Behind it, at the first place that all ways out lead through. Ways that end without another
// access, as by `return`, do not count: whoever takes them is waited for nowhere. Nor do those that
// leave the loop around it as well.

// One round of a loop, or all that there is: nodes and loops within it, in order.
struct ControlFlow::Part {
  struct Element {
    Position begin;
    Position end;
    std::uint32_t accesses;  // here and on the way with the most of them from here
    std::uint32_t meeting;   // the first element that all ways from here lead through
  };
  std::vector<Element> elements;
  bool is_round;  // of a loop

  std::uint32_t at(Position position) const {
    const auto behind = std::upper_bound(
        elements.begin(), elements.end(), position,
        [](Position wanted, const Element& element) { return wanted < element.begin; });
    return static_cast<std::uint32_t>(behind - elements.begin()) - 1;
  }
  // Both lead up a tree of meetings, whose root is the end.
  std::uint32_t meeting_of(std::uint32_t one, std::uint32_t other) const {
    while (one != other) {
      std::uint32_t& nearer = one < other ? one : other;
      nearer = elements[nearer].meeting;
    }
    return one;
  }
};

ControlFlow::Part ControlFlow::part_of(std::uint32_t loop) const {
  const Loop& all = loops_[loop];
  Part part{{}, loop != 0};
  for (Position position = all.begin; position < all.end;) {
    std::uint32_t inner = loop_at_[position];
    while (inner != loop && loops_[inner].around != loop)
      inner = loops_[inner].around;
    const Position end = inner == loop ? position + 1 : loops_[inner].end;
    part.elements.push_back({position, end, 0, 0});
    position = end;
  }
  for (auto i = static_cast<std::uint32_t>(part.elements.size()); i-- > 0;)
    look_ahead(part, i, all);
  return part;
}

// From an element, once that is done from all behind it. What leads back to where a round begins
// leads to its end.
void ControlFlow::look_ahead(Part& part, std::uint32_t i, const Loop& all) const {
  const auto end = static_cast<std::uint32_t>(part.elements.size());
  Part::Element& element = part.elements[i];
  element.meeting = end;
  bool is_first = true;
  std::uint32_t most = 0;
  for (Position position = element.begin; position < element.end; ++position) {
    element.accesses += is_access(events_[nodes_[position]]);
    for (const Node node : successors_[nodes_[position]]) {
      const Position to = positions_[node];
      const bool is_around = part.is_round && to == all.begin;
      if (!is_around && (to < element.end || to >= all.end)) continue;
      const std::uint32_t next = is_around ? end : part.at(to);
      if (next != end) most = std::max(most, part.elements[next].accesses);
      element.meeting = is_first ? next : part.meeting_of(element.meeting, next);
      is_first = false;
    }
  }
  element.accesses += most;
}

void ControlFlow::find_all_exits() {
  std::vector<std::vector<std::uint32_t>> within(loops_.size());
  for (std::uint32_t loop = 1; loop < loops_.size(); ++loop)
    within[loops_[loop].around].push_back(loop);
  for (std::uint32_t around = 0; around < loops_.size(); ++around) {
    if (!within[around].empty()) find_exits(within[around], part_of(around));
  }
}

void ControlFlow::find_exits(const std::vector<std::uint32_t>& loops, const Part& part) {
  for (const std::uint32_t i : loops) {
    Loop& loop = loops_[i];
    const std::uint32_t meeting = part.elements[part.at(loop.begin)].meeting;
    const bool all_meet = meeting < part.elements.size() && part.elements[meeting].accesses > 0;
    loop.exit = all_meet ? part.elements[meeting].begin : usual_exit(loop, part);
  }
}

// Some ways out end without another access, or all do. Then lanes wait where the test of a round
// leads them, which compilers put at its end, else where it begins; or where most lies ahead.
Position ControlFlow::usual_exit(const Loop& loop, const Part& part) const {
  Position exit = kNoPosition;
  std::tuple<bool, bool, std::uint32_t> best;
  for (Position position = loop.begin; position < loop.end; ++position) {
    const std::vector<Node>& next = successors_[nodes_[position]];
    const bool ends_round = std::any_of(next.begin(), next.end(),
                                        [&](Node node) { return positions_[node] == loop.begin; });
    for (const Node node : next) {
      const Position to = positions_[node];
      if (to < loop.end || to >= part.elements.back().end) continue;
      const std::tuple way(ends_round, position == loop.begin, part.elements[part.at(to)].accesses);
      if (exit != kNoPosition && way <= best) continue;
      exit = to;
      best = way;
    }
  }
  return exit;
}

// ---- paths ----

void DistinctPaths::add(const Event* begin, const Event* end) {
  events_.insert(events_.end(), begin, end);
  events_.push_back(kNoEvent);
}

std::size_t DistinctPaths::hash() const {
  std::uint64_t hash = 0;
  for (const Event event : events_)
    hash = (hash ^ event) * 0x9e3779b97f4a7c15u;
  return hash >> 32;
}

void DistinctPaths::add_to(ControlFlow& flow) const {
  const auto end = events_.data() + events_.size();
  for (const Event* path = events_.data() + 1; path != end;) {
    const Event* const path_end = std::find(path, end, kNoEvent);
    flow.add_path(events_[0], path, path_end);
    path = path_end + 1;
  }
}

const ControlFlow& KnownControlFlows::of(const DistinctPaths& paths, const Opening& opening) {
  Known& known = known_[paths.hash() % known_.size()];
  if (known.paths == paths) {
    if (!known.flow.is_in_order(opening)) known.flow.put_in_order(opening);
    return known.flow;
  }
  known.flow.clear();
  paths.add_to(known.flow);
  known.flow.put_in_order(opening);
  known.paths = paths.are_long() ? DistinctPaths{} : paths;
  return known.flow;
}

}  // namespace simt
