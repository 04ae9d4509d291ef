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

// A choice this much slower than the best is still within what two runs differ by; few rows take a
// few microseconds, of which starting the kernel is half.
constexpr double kTolerance = 0.05;
constexpr double kFewRowsTolerance = 0.10;

struct Time {
  double us;  // median
  double spread;
};
// By block size.
using Times = std::map<int, Time>;
// By rows, then columns.
using Sweep = std::map<std::int64_t, std::map<std::int64_t, Times>>;

Time best_of(const Times& times) {
  Time best = times.begin()->second;
  for (const auto& [size, time] : times) {
    if (time.us < best.us) best = time;
  }
  return best;
}

// How much slower than the best a block size is; 1 if the difference is none that was measured.
double slowdown(const Times& times, int size, double tolerance) {
  const auto found = times.find(size);
  if (found == times.end()) return std::numeric_limits<double>::infinity();
  const Time best = best_of(times);
  const double ratio = found->second.us / best.us;
  return ratio <= 1.0 + std::max(tolerance, best.spread) ? 1.0 : ratio;
}

Times times_of(const json& row) {
  Times times;
  for (const auto& [size, result] : row.at("block_sizes").items()) {
    if (result.contains("median_us"))
      times[std::stoi(size)] = {result["median_us"], result["spread"]};
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

// The smallest block size that is as good as the best at all of `cols`, or 0.
int common_choice(const ByCols& by_cols, const std::vector<std::int64_t>& cols, double tolerance) {
  for (const auto& [size, time] : by_cols.at(cols.front())) {
    const bool good = std::all_of(cols.begin(), cols.end(), [&, size = size](std::int64_t width) {
      return slowdown(by_cols.at(width), size, tolerance) == 1.0;
    });
    if (good) return size;
  }
  return 0;
}

// As the registration would write it: the fewest groups of neighbouring widths.
std::string suggestion(const ByCols& by_cols, double tolerance) {
  std::vector<std::pair<std::int64_t, int>> groups;
  std::vector<std::int64_t> group;
  for (const auto& [cols, times] : by_cols) {
    group.push_back(cols);
    int choice = common_choice(by_cols, group, tolerance);
    if (choice == 0 || groups.empty()) {
      group = {cols};
      choice = common_choice(by_cols, group, tolerance);
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
  const bool few = rows < worklog::kFewRows;
  const double tolerance = few ? kFewRowsTolerance : kTolerance;
  int slow = 0;
  for (const auto& [cols, times] : by_cols) {
    const int size = step.info.block_size_for(rows, cols);
    const double ratio = slowdown(times, size, tolerance);
    if (ratio == 1.0) continue;
    ++slow;
    std::cout << step.label() << ", " << rows << " x " << cols << ": " << size
              << " threads a block take " << ratio << " times the best, " << best_of(times).us
              << " us\n";
  }
  if (slow > 0) {
    std::cout << "  suggestion: " << (few ? ".few_rows_block_sizes" : ".block_sizes") << " = "
              << suggestion(by_cols, tolerance) << '\n';
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
    if (slow_widths == 0)
      std::cout << step.label() << ": no other block size is clearly faster at any shape\n";
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
