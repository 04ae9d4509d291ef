/// \file
/// Where lanes that part at a branch come together again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/executor/log/access_log.h"

namespace simt {

/// The control-flow graph of what the lanes of one warp executed between two times when all of them
/// met. It is built from their paths alone, so that it depends on nothing but the kernel and its
/// data.
class ControlFlow {
 public:
  /// No event: the end of the paths.
  static constexpr Event kEnd = ~Event{0};

  ControlFlow() { clear(); }
  /// Forgets all paths.
  void clear();

  /// Adds the path that leads from the event `before` over [begin, end). Meeting points end one
  /// path and begin another.
  void add_path(Event before, const Event* begin, const Event* end);

  /// The immediate post-dominator of an event that was added: the first that every path from it
  /// passes. kEnd if none.
  Event reconvergence_point(Event branch);

 private:
  using Node = std::uint32_t;
  static constexpr Node kEndNode = 0;

  Node node_of(Event event);
  void add_edge(Node from, Node to);
  void find_post_dominators();

  std::unordered_map<Event, Node> nodes_;
  std::vector<Event> events_;                  ///< by node
  std::vector<std::vector<Node>> successors_;  ///< by node
  std::vector<Node> immediate_;                ///< post-dominator, by node; empty until asked for
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
  std::vector<Event> events_;  ///< with kEnd behind each path
};

/// Graphs made before: most warps part where others did, and take the same paths. Building each
/// graph anew took a twentieth of the executor's time in step 05, where one branch in a block parts
/// the lanes of a warp.
class KnownControlFlows {
 public:
  /// The graph of these paths: one made before, or a new one in the place of another.
  ControlFlow& of(const DistinctPaths& paths);

 private:
  struct Known {
    DistinctPaths paths;
    ControlFlow flow;
  };
  std::array<Known, 32> known_;
};

}  // namespace simt
