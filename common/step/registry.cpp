#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "common/step/step.h"

namespace worklog {

namespace {

// A function's static, because registrations run before main in an unknown order.
std::vector<Step>& registry() {
  static std::vector<Step> steps;
  return steps;
}

// By name and variant.
using Tables = std::map<std::pair<std::string, std::string>, BlockSizeTables>;

Tables& tables() {
  static Tables tables;
  return tables;
}

void apply_table(Step& step) {
  const auto found = tables().find({step.name, step.variant});
  if (found == tables().end()) return;
  const BlockSizeTables& of_step = found->second;
  step.info.block_sizes = of_step.block_sizes;
  step.info.few_rows_block_sizes = of_step.few_rows_block_sizes;
  step.info.half_block_sizes = of_step.half_block_sizes;
}

bool comes_before(const Step& a, const Step& b) {
  return std::pair(a.name, a.variant) < std::pair(b.name, b.variant);
}

}  // namespace

const std::vector<Step>& all_steps() {
  return registry();
}

const Step& registered_step(std::string_view name, std::string_view variant) {
  for (const Step& step : registry()) {
    if (step.name == name && step.variant == variant) return step;
  }
  throw std::invalid_argument("no step " + std::string(name) + "/" + std::string(variant) +
                              " is registered");
}

StepRegistration::StepRegistration(std::string name, std::string variant, StepInfo info,
                                   AnyLaunches launches) {
  std::vector<Step>& steps = registry();
  Step step{std::move(name), std::move(variant), std::move(info), launches};
  apply_table(step);
  steps.insert(std::upper_bound(steps.begin(), steps.end(), step, comes_before), std::move(step));
}

BlockSizesRegistration::BlockSizesRegistration(std::string name, std::string variant,
                                               BlockSizeTables of_step) {
  tables()[{std::move(name), std::move(variant)}] = std::move(of_step);
  for (Step& step : registry())
    apply_table(step);
}

}  // namespace worklog
