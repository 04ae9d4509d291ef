// worklog_check_block_sizes: does each step launch with the block size that a sweep found best?
//
// A registration chooses by width, and apart for few rows. It is judged in fp32.

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
  const json document = json::parse(file);
  for (const json& row : document.at("sweep")) {
    if (row.at("dtype") != "f32") continue;
    const std::string variant = row.at("variant");
    const std::string label =
        row.at("step").get<std::string>() + (variant.empty() ? "" : "/" + variant);
    sweeps[label][row.at("rows")][row.at("cols")] = times_of(row);
  }
  if (sweeps.empty()) throw std::runtime_error("has no fp32 rows");
  return sweeps;
}

// Times at one number of rows, by columns.
using ByCols = std::map<std::int64_t, Times>;

// How much slower than the best a block size is, at the worst of some widths; infinite where it has
// no time.
double slowdown(const ByCols& by_cols, const std::vector<std::int64_t>& cols, int size) {
  double most = 1.0;
  for (const std::int64_t width : cols) {
    const Times& times = by_cols.at(width);
    const auto found = times.find(size);
    if (found == times.end()) return std::numeric_limits<double>::infinity();
    most = std::max(most, found->second / best_of(times));
  }
  return most;
}

// The best block size for all of `cols`, or 0 if none is within the tolerance at each of them.
int common_choice(const ByCols& by_cols, const std::vector<std::int64_t>& cols) {
  int choice = 0;
  double least = kTolerance;
  for (const auto& [size, us] : by_cols.at(cols.front())) {
    const double most = slowdown(by_cols, cols, size);
    if (most > least) continue;
    choice = size;
    least = most;
  }
  return choice;
}

// As the registration would write it: the fewest groups of neighbouring widths.
std::string suggestion(const ByCols& by_cols) {
  std::vector<std::pair<std::int64_t, int>> groups;
  std::vector<std::int64_t> group;
  for (const auto& [cols, times] : by_cols) {
    group.push_back(cols);
    int choice = common_choice(by_cols, group);
    if (choice == 0 || groups.empty()) {
      group = {cols};
      choice = common_choice(by_cols, group);
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

// Prints a line for each width at which the step's choice is too slow; returns how many there are.
int check(const worklog::Step& step, std::int64_t rows, const ByCols& by_cols) {
  int slow = 0;
  for (const auto& [cols, times] : by_cols) {
    const int size = step.info.block_size_for(rows, cols);
    const auto time = times.find(size);
    if (time != times.end() && time->second <= kTolerance * best_of(times)) continue;
    ++slow;
    std::cout << step.label() << ", " << rows << " x " << cols << ": " << size
              << " threads a block take "
              << (time == times.end() ? "a time not swept" : std::to_string(time->second) + " us")
              << ", the best " << best_of(times) << " us\n";
  }
  if (slow > 0) {
    const bool few = rows < worklog::kFewRows;
    std::cout << "  suggestion: " << (few ? ".few_rows_block_sizes" : ".block_sizes") << " = "
              << suggestion(by_cols) << '\n';
  }
  return slow;
}

int check_all(const std::string& path) {
  int slow = 0;
  const std::map<std::string, Sweep> sweeps = read_sweep(path);
  for (const worklog::Step& step : worklog::all_steps()) {
    const auto found = sweeps.find(step.label());
    if (found == sweeps.end()) {
      std::cout << step.label() << ": not in the sweep\n";
      continue;
    }
    int slow_widths = 0;
    for (const auto& [rows, by_cols] : found->second)
      slow_widths += check(step, rows, by_cols);
    if (slow_widths == 0) std::cout << step.label() << ": within 3 % of the best at every shape\n";
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
    return check_all(argv[1]) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "worklog_check_block_sizes: " << argv[1] << ": " << error.what() << '\n';
    return 2;
  }
}
