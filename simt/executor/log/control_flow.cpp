#include "simt/executor/log/control_flow.h"

#include <algorithm>

namespace simt {
namespace {

// A set of nodes.
class Bits {
 public:
  Bits(std::size_t size, bool full) : words_((size + 63) / 64, full ? ~std::uint64_t{0} : 0) {
    if (full && size % 64 != 0) words_.back() = (std::uint64_t{1} << size % 64) - 1;
  }
  bool has(std::size_t i) const { return words_[i / 64] >> i % 64 & 1; }
  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  void intersect(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w)
      words_[w] &= other.words_[w];
  }
  std::size_t size() const {
    std::size_t count = 0;
    for (std::uint64_t word : words_) {
      for (; word != 0; word &= word - 1)
        ++count;
    }
    return count;
  }
  bool operator==(const Bits&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace

void ControlFlow::clear() {
  nodes_.clear();
  events_.assign(1, kEnd);
  successors_.assign(1, {});
  immediate_.clear();
}

ControlFlow::Node ControlFlow::node_of(Event event) {
  const auto [found, is_new] = nodes_.try_emplace(event, static_cast<Node>(events_.size()));
  if (is_new) {
    events_.push_back(event);
    successors_.emplace_back();
  }
  return found->second;
}

void ControlFlow::add_edge(Node from, Node to) {
  std::vector<Node>& to_all = successors_[from];
  if (std::find(to_all.begin(), to_all.end(), to) == to_all.end()) to_all.push_back(to);
}

void ControlFlow::add_path(Event before, const Event* begin, const Event* end) {
  Node previous = node_of(before);
  for (const Event* event = begin; event != end; ++event) {
    const Node node = node_of(*event);
    add_edge(previous, *event == kMeetingPoint ? kEndNode : node);
    previous = node;
  }
  add_edge(previous, kEndNode);
  immediate_.clear();
}

// A node is post-dominated by itself and by what post-dominates all its successors: the largest
// sets for which that holds. (Aho, Lam, Sethi and Ullman, Compilers, section 9.6.1, on the reversed
// graph.)
void ControlFlow::find_post_dominators() {
  const std::size_t count = events_.size();
  std::vector<Bits> post_dominators(count, Bits(count, true));
  post_dominators[kEndNode] = Bits(count, false);
  post_dominators[kEndNode].insert(kEndNode);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t node = count - 1; node > kEndNode; --node) {
      Bits set(count, true);
      for (const Node next : successors_[node])
        set.intersect(post_dominators[next]);
      set.insert(node);
      if (set == post_dominators[node]) continue;
      post_dominators[node] = std::move(set);
      changed = true;
    }
  }
  // They form a chain, on which a node's nearest is the one with the most post-dominators of its
  // own.
  std::vector<std::size_t> depth(count);
  for (std::size_t node = 0; node < count; ++node)
    depth[node] = post_dominators[node].size();
  immediate_.assign(count, kEndNode);
  for (std::size_t node = 1; node < count; ++node) {
    for (std::size_t other = 1; other < count; ++other) {
      if (other != node && post_dominators[node].has(other) &&
          depth[other] > depth[immediate_[node]]) {
        immediate_[node] = static_cast<Node>(other);
      }
    }
  }
}

Event ControlFlow::reconvergence_point(Event branch) {
  if (immediate_.empty()) find_post_dominators();
  return events_[immediate_[nodes_.at(branch)]];
}

void DistinctPaths::add(const Event* begin, const Event* end) {
  events_.insert(events_.end(), begin, end);
  events_.push_back(ControlFlow::kEnd);
}

std::size_t DistinctPaths::hash() const {
  std::uint64_t hash = 0;
  for (const Event event : events_)
    hash = (hash ^ event) * 0x9e3779b97f4a7c15u;  // the golden ratio's bits: odd, and without order
  return hash >> 32;
}

void DistinctPaths::add_to(ControlFlow& flow) const {
  const auto end = events_.data() + events_.size();
  for (const Event* path = events_.data() + 1; path != end;) {
    const Event* const path_end = std::find(path, end, ControlFlow::kEnd);
    flow.add_path(events_[0], path, path_end);
    path = path_end + 1;
  }
}

ControlFlow& KnownControlFlows::of(const DistinctPaths& paths) {
  Known& known = known_[paths.hash() % known_.size()];
  if (known.paths == paths) return known.flow;
  known.flow.clear();
  paths.add_to(known.flow);
  known.paths = paths.are_long() ? DistinctPaths{} : paths;
  return known.flow;
}

}  // namespace simt
