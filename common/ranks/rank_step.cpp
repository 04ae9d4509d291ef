#include "common/ranks/rank_step.h"

#include <algorithm>
#include <utility>

namespace worklog {

namespace {

// A function's static, because registrations run before main in an unknown order.
std::vector<RankStep>& registry() {
  static std::vector<RankStep> steps;
  return steps;
}

}  // namespace

const std::vector<RankStep>& all_rank_steps() {
  return registry();
}

RankStepRegistration::RankStepRegistration(RankStep step) {
  std::vector<RankStep>& steps = registry();
  const auto comes_before = [](const RankStep& a, const RankStep& b) {
    return a.variant < b.variant;
  };
  steps.insert(std::upper_bound(steps.begin(), steps.end(), step, comes_before), std::move(step));
}

}  // namespace worklog
