/// \file
/// Where lanes that part at a branch come together again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simt/executor/access_log.h"

namespace simt {

/// The control-flow graph of what the lanes of one warp executed between two times when all of them
/// met. It is built from their paths alone, so that it depends on nothing but the kernel and its
/// data.
class ControlFlow {
 public:
  /// No event: the end of the paths.
  static constexpr Event kEnd = ~Event{0};

  ControlFlow() { clear(); }
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

}  // namespace simt
