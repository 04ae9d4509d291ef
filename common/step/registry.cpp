#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/step/step.h"

namespace worklog {

namespace {

// A function's static, because registrations run before main in an unknown order.
std::vector<Step>& registry() {
  static std::vector<Step> steps;
  return steps;
}

bool comes_before(const Step& a, const Step& b) {
  return std::pair(a.name, a.variant) < std::pair(b.name, b.variant);
}

}  // namespace

const std::vector<Step>& all_steps() {
  return registry();
}

StepRegistration::StepRegistration(std::string name, std::string variant, StepInfo info,
                                   AnyLaunches launches) {
  std::vector<Step>& steps = registry();
  Step step{std::move(name), std::move(variant), std::move(info), launches};
  steps.insert(std::upper_bound(steps.begin(), steps.end(), step, comes_before), std::move(step));
}

}  // namespace worklog
