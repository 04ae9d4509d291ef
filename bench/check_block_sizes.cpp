// worklog_check_block_sizes: does each step launch with the block size that a sweep found best?
//
// A registration chooses by width alone. It is judged in fp32, at the sweep's largest number of
// rows, which fills the GPU; among block sizes that are equally good there, the suggestion is the
// one that is best at the smallest number.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/step/step.h"

namespace {

using nlohmann::json;

// A choice this much slower than the best is still within what two runs differ by.
constexpr double kTolerance = 1.03;

// Median microseconds by block size.
using Times = std::map<int, double>;
// By rows, then columns.
using Sweep = std::map<std::int64_t, std::map<std::int64_t, Times>>;

double best_of(const Times& times) {
  double best = times.begin()->second;
  for (const auto& [size, us] : times)
    best = std::min(best, us);
  return best;
}

Times times_of(const json& row) {
  Times times;
  for (const auto& [size, result] : row.at("block_sizes").items()) {
    if (result.contains("median_us")) times[std::stoi(size)] = result["median_us"].get<double>();
  }
  if (times.empty()) throw std::runtime_error("a row without any time: " + row.dump());
  return times;
}

// Of one step or variant, by its label.
std::map<std::string, Sweep> read_sweep(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot be read");
  std::map<std::string, Sweep> sweeps;
  for (const json& row : json::parse(file).at("sweep")) {
    if (row.at("dtype") != "f32") continue;
    const std::string variant = row.at("variant");
    const std::string label =
        row.at("step").get<std::string>() + (variant.empty() ? "" : "/" + variant);
    sweeps[label][row.at("rows")][row.at("cols")] = times_of(row);
  }
  return sweeps;
}

// How much slower than the best a block size is over some widths; infinite where it has no time.
double slowdown(const std::map<std::int64_t, Times>& by_cols, const std::vector<std::int64_t>& cols,
                int size, bool worst) {
  double sum = 0.0;
  double most = 1.0;
  for (const std::int64_t width : cols) {
    const Times& times = by_cols.at(width);
    const auto found = times.find(size);
    if (found == times.end()) return std::numeric_limits<double>::infinity();
    const double ratio = found->second / best_of(times);
    sum += ratio;
    most = std::max(most, ratio);
  }
  return worst ? most : sum;
}

// The block size for all of `cols`, or 0 if none is within the tolerance at each of them.
int common_choice(const Sweep& sweep, const std::vector<std::int64_t>& cols) {
  int choice = 0;
  double least = 0.0;
  for (const auto& [size, us] : sweep.rbegin()->second.at(cols.front())) {
    if (slowdown(sweep.rbegin()->second, cols, size, true) > kTolerance) continue;
    const double few_rows = slowdown(sweep.begin()->second, cols, size, false);
    if (choice != 0 && few_rows >= least) continue;
    choice = size;
    least = few_rows;
  }
  return choice;
}

// As the registration would write it: the fewest groups of neighbouring widths.
std::string suggestion(const Sweep& sweep) {
  std::vector<std::pair<std::int64_t, int>> groups;
  std::vector<std::int64_t> group;
  for (const auto& [cols, times] : sweep.rbegin()->second) {
    group.push_back(cols);
    int choice = common_choice(sweep, group);
    if (choice == 0 || groups.empty()) {
      group = {cols};
      choice = common_choice(sweep, group);
      groups.emplace_back(cols, choice);
    }
    groups.back() = {cols, choice};
  }
  if (groups.size() == 1) return std::to_string(groups[0].second);
  std::string text = "{";
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    text += "{" + std::to_string(groups[i].first) + ", " + std::to_string(groups[i].second) + "}, ";
  }
  return text + "{kAnyWidth, " + std::to_string(groups.back().second) + "}}";
}

// Prints a line a step; returns how many choices are too slow.
int check(const std::string& path) {
  int slow = 0;
  const std::map<std::string, Sweep> sweeps = read_sweep(path);
  for (const worklog::Step& step : worklog::all_steps()) {
    const auto found = sweeps.find(step.label());
    if (found == sweeps.end()) {
      std::cout << step.label() << ": not in the sweep\n";
      continue;
    }
    int slow_widths = 0;
    for (const auto& [cols, times] : found->second.rbegin()->second) {
      const int size = step.info.block_sizes.for_cols(cols);
      const auto time = times.find(size);
      if (time != times.end() && time->second <= kTolerance * best_of(times)) continue;
      ++slow_widths;
      std::cout << step.label() << ", " << found->second.rbegin()->first << " x " << cols << ": "
                << size << " threads a block take "
                << (time == times.end() ? "a time not swept" : std::to_string(time->second) + " us")
                << ", the best " << best_of(times) << " us\n";
    }
    if (slow_widths > 0) {
      std::cout << "  suggestion: .block_sizes = " << suggestion(found->second) << '\n';
    } else {
      std::cout << step.label() << ": within 3 % of the best at every width\n";
    }
    slow += slow_widths;
  }
  return slow;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: worklog_check_block_sizes SWEEP.json\n";
    return 2;
  }
  try {
    return check(argv[1]) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "worklog_check_block_sizes: " << argv[1] << ": " << error.what() << '\n';
    return 2;
  }
}
