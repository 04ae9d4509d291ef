#include "simt/runtime/graph_conditions.h"

#include <deque>
#include <mutex>

#include "simt/executor/system/fork_lock.h"

namespace simt {
namespace {

/// All that were made; a handle is a place among them, from 1.
struct Conditions {
  ForkLock<std::mutex> mutex;
  std::deque<GraphCondition> made;
};
Conditions& conditions() {
  static auto& all = *new Conditions;
  return all;
}

}  // namespace

cudaGraphConditionalHandle make_condition(unsigned at_first, bool begins_anew) {
  Conditions& all = conditions();
  const std::lock_guard lock(all.mutex);
  GraphCondition& condition = all.made.emplace_back();
  condition.at_first = at_first;
  condition.begins_anew = begins_anew;
  return all.made.size();
}

GraphCondition* condition_of(cudaGraphConditionalHandle handle) {
  Conditions& all = conditions();
  const std::lock_guard lock(all.mutex);
  return handle == 0 || handle > all.made.size() ? nullptr : &all.made[handle - 1];
}

}  // namespace simt

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
  simt::GraphCondition* const condition = simt::condition_of(handle);
  if (condition != nullptr) condition->value = value;
}
