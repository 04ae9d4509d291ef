/// \file
/// In which order a warp's lanes come through the code that they executed, and where they wait for
/// each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simt/executor/log/access_log.h"

namespace simt {

/// A place in the order of a ControlFlow.
using Position = std::uint32_t;
/// Behind all of them.
constexpr Position kNoPosition = ~Position{0};

/// What lanes execute again and again: the positions [begin, end), of which `begin` is where each
/// round begins. Those of a loop that lies within it are among them.
struct Loop {
  Position begin = 0;           ///< of its first event
  Position end = 0;             ///< behind its last event
  Position exit = kNoPosition;  ///< where lanes that have left it wait for the others, if anywhere
  std::uint32_t around = 0;     ///< the number of the loop that has this one in it, 0 for none
  bool is_entered_within = false;  ///< lanes come into the midst of a round first
};

/// What tells code from other code of the same address, for whoever has come there on some path. A
/// function that is called from two places is code of its own in each, as if it had been inlined;
/// and an access that only a source line names is one of its basic block.
struct Spot {
  std::uint32_t context = 0;  ///< the calls that it is in; those at the beginning of paths are 0
  std::uint32_t block = 0;    ///< the basic block
};

/// What all lanes had done together before they parted, since they met last: in parts, of which the
/// first may not be all.
using Opening = std::array<std::span<const Event>, 3>;

/// The control-flow graph of what the lanes of one warp executed between two times when all of them
/// met. It is built from their paths alone, so that it depends on nothing but the kernel and its
/// data.
///
/// Its events are put in an order in which each comes behind all that lead to it, but for what
/// leads back to where a loop begins, and in which the events of a loop lie side by side: a weak
/// topological order (F. Bourdoncle, Efficient chaotic iteration strategies with widenings, 1993,
/// section 3). Lanes that are taken in this order meet wherever they can.
class ControlFlow {
 public:
  ControlFlow() { clear(); }
  /// Forgets all paths.
  void clear();

  /// Adds the path that leads from the event `before` over [begin, end), which has no meeting
  /// point.
  void add_path(Event before, const Event* begin, const Event* end);
  /// Finds the order, once all paths have been added. Where they begin within a loop, the opening
  /// tells where its rounds begin.
  void put_in_order(const Opening& opening = {});
  /// Whether the order is that which this opening gives.
  bool is_in_order(const Opening& opening) const {
    return around_start_.empty() || entry_of(opening) == entry_;
  }

  /// Of the next event of a path that has come to this spot.
  Position position_of(Event event, Spot spot = {}) const {
    return positions_[node_of(event, spot)];
  }
  /// The spot behind it.
  Spot behind(Spot spot, Event event) const {
    if (is_access(event)) return spot;
    const Node node = node_of(event, spot);
    if (is_call(event)) return {called_[node], node};
    return {is_return(event) ? callers_[spot.context] : spot.context, node};
  }
  /// Number `i` of the loops. 0 is no loop, but all that there is.
  const Loop& loop(std::uint32_t i) const { return loops_[i]; }
  /// The number of the innermost loop that this position lies in.
  std::uint32_t loop_at(Position position) const { return loop_at_[position]; }

 private:
  using Node = std::uint32_t;
  struct Search;
  struct Part;

  Node node_of(Event event, Spot spot) const {
    return find(event, is_of_line(event) ? spot.block : spot.context);
  }
  Node find(Event event, std::uint32_t of) const;
  Node add_node(Event event, std::uint32_t of);
  Spot go_on(Spot spot, Event event, Node node);
  void put_in_table(Node node);
  void add_edge(Node from, Node to);
  void order_from(Node start, std::uint32_t loop, const Opening& opening);
  void order_loop(const std::vector<Node>& nodes, std::uint32_t around, const Opening& opening);
  Node first_of_round(const std::vector<Node>& nodes, const Opening& opening);
  Node entry_of(const Opening& opening) const;
  Node where_all_rounds_begin(const std::vector<Node>& nodes, Node entry) const;
  bool is_reached(Node from, Node to, Node past) const;
  bool has_rounds_without(const std::vector<Node>& nodes, Node left_out) const;
  Part part_of(std::uint32_t loop) const;
  void look_ahead(Part& part, std::uint32_t i, const Loop& all) const;
  void find_all_exits();
  void find_exits(const std::vector<std::uint32_t>& loops, const Part& part);
  Position usual_exit(const Loop& loop, const Part& part) const;

  std::vector<Node> table_;                    ///< by hash; kNoNode where there is none
  std::vector<Event> events_;                  ///< by node
  std::vector<std::uint32_t> of_;              ///< by node: the context, or an access's block
  std::vector<std::uint32_t> called_;          ///< by node: the context behind a call
  std::vector<std::uint32_t> callers_;         ///< by context: that of its call
  std::vector<std::vector<Node>> successors_;  ///< by node
  std::vector<Position> positions_;            ///< by node
  std::vector<std::uint32_t> part_;            ///< by node: the loop whose order is looked for
  std::vector<std::uint32_t> number_;          ///< by node, of the search for that order
  std::vector<std::uint32_t> lowest_;          ///< by node, likewise
  std::vector<Node> nodes_;                    ///< by position
  std::vector<std::uint32_t> loop_at_;         ///< by position
  std::vector<Loop> loops_;
  std::vector<Node> around_start_;  ///< the outermost loop that all paths begin in, if any
  Node entry_ = 0;                  ///< of these the one where its rounds begin
};

/// The paths that a warp's lanes took, each once, and the event that led to all of them.
class DistinctPaths {
 public:
  DistinctPaths() = default;
  /// No paths yet, but what led to them.
  explicit DistinctPaths(Event before) { events_.assign(1, before); }
  /// Adds a lane's path, [begin, end), unless an equal one is there.
  void add(const Event* begin, const Event* end);

  /// Equal for equal paths.
  std::size_t hash() const;
  /// Whether the same paths were added in the same order.
  bool operator==(const DistinctPaths&) const = default;
  /// Whether comparing and keeping them costs more than a new graph.
  bool are_long() const { return events_.size() > kLong; }
  /// Adds each of them.
  void add_to(ControlFlow& flow) const;

 private:
  static constexpr std::size_t kLong = 4096;
  std::vector<Event> events_;  ///< with kNoEvent behind each path
};

/// Graphs made before: most warps part where others did, and take the same paths. Building each
/// graph anew took a twentieth of the executor's time in step 05, where one branch in a block parts
/// the lanes of a warp.
class KnownControlFlows {
 public:
  /// The graph of these paths, in the order that this opening gives: one made before, or a new one
  /// in the place of another.
  const ControlFlow& of(const DistinctPaths& paths, const Opening& opening);

 private:
  struct Known {
    DistinctPaths paths;
    ControlFlow flow;
  };
  std::array<Known, 64> known_;
};

}  // namespace simt
