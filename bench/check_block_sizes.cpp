// worklog_check_block_sizes: does each step launch with the block size that a sweep found best?
//
// A step chooses by width, and apart for few rows and for half types, in its block_sizes.json. Few
// rows, whose list is of all types, are judged in fp32.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/program/write_whole.h"
#include "common/step/step.h"

namespace {

using json = nlohmann::ordered_json;

// A choice this much slower than the best is still within what two runs differ by; few rows take a
// few microseconds, of which starting the kernel is half.
constexpr double kTolerance = 0.05;
constexpr double kFewRowsTolerance = 0.10;

double tolerance_at(std::int64_t rows) {
  return rows < worklog::kFewRows ? kFewRowsTolerance : kTolerance;
}

struct Time {
  double us;  // median
  double spread;
};
// By block size.
using Times = std::map<int, Time>;
// Of one type, by rows, then columns.
using SweptType = std::map<std::int64_t, std::map<std::int64_t, Times>>;
using Sweep = std::map<worklog::DType, SweptType>;

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
    const worklog::DType dtype = worklog::dtype_from_name(row.at("dtype").get<std::string>());
    const std::int64_t rows = row.at("rows");
    if (dtype != worklog::DType::kFloat32 && rows < worklog::kFewRows) continue;
    const std::string variant = row.at("variant");
    const std::string label =
        row.at("step").get<std::string>() + (variant.empty() ? "" : "/" + variant);
    sweeps[label][dtype][rows][row.at("cols")] = times_of(row);
  }
  if (sweeps.empty()) throw std::runtime_error("has no step's rows");
  return sweeps;
}

// Times at one number of rows, by columns.
using ByCols = std::map<std::int64_t, Times>;

// What one list of block_sizes.json is for: the widths that were swept, each at some numbers of
// rows, which one choice must suit.
struct Swept {
  double tolerance;
  std::map<std::int64_t, std::vector<Times>> at;  // by columns
};

// How much slower than the best a block size is at a width, at the rows where it is the worst.
double slowdown(const Swept& swept, std::int64_t cols, int size) {
  double worst = 1.0;
  for (const Times& times : swept.at.at(cols)) {
    worst = std::max(worst, slowdown(times, size, swept.tolerance));
  }
  return worst;
}

// The smallest block size that is as good as the best at all of `cols`, or 0.
int common_choice(const Swept& swept, const std::vector<std::int64_t>& cols) {
  for (const auto& [size, time] : swept.at.at(cols.front()).front()) {
    const bool good = std::all_of(cols.begin(), cols.end(), [&, size = size](std::int64_t width) {
      return slowdown(swept, width, size) == 1.0;
    });
    if (good) return size;
  }
  return 0;
}

// The smallest of those that are slower than the best by the least: where no block size suits all
// numbers of rows, that is what is left.
int least_slow(const Swept& swept, std::int64_t cols) {
  int choice = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [size, time] : swept.at.at(cols).front()) {
    const double ratio = slowdown(swept, cols, size);
    if (ratio >= least) continue;
    choice = size;
    least = ratio;
  }
  return choice;
}

// A list of block_sizes.json: the fewest groups of neighbouring widths.
json suggestion(const Swept& swept) {
  std::vector<std::pair<std::int64_t, int>> groups;
  std::vector<std::int64_t> group;
  for (const auto& [cols, times] : swept.at) {
    group.push_back(cols);
    int choice = common_choice(swept, group);
    if (choice == 0 || groups.empty()) {
      group = {cols};
      choice = least_slow(swept, cols);
      groups.emplace_back(cols, choice);
    }
    groups.back() = {cols, choice};
  }
  json list = json::array();
  for (const auto& [up_to_cols, size] : groups) {
    list.push_back({{"up_to_cols", up_to_cols}, {"block_size", size}});
  }
  list.back().erase("up_to_cols");
  return list;
}

// Prints a line for each width at which the step's choice is too slow; returns how many there are.
int check(const worklog::Step& step, worklog::DType dtype, std::int64_t rows,
          const ByCols& by_cols) {
  const double tolerance = tolerance_at(rows);
  int slow = 0;
  for (const auto& [cols, times] : by_cols) {
    const int size = step.info.block_size_for(rows, cols, worklog::size_of(dtype));
    const double ratio = slowdown(times, size, tolerance);
    if (ratio == 1.0) continue;
    ++slow;
    std::cout << step.label() << ", " << worklog::name_of(dtype) << ", " << rows << " x " << cols
              << ": " << size << " threads per block take " << ratio << " times the best, "
              << best_of(times).us << " us\n";
  }
  return slow;
}

// Which list of block_sizes.json a step takes its choice from.
std::string list_for(const worklog::Step& step, worklog::DType dtype, std::int64_t rows) {
  const bool few = rows < worklog::kFewRows && !step.takes_one_row();
  if (few) return "few_rows_block_sizes";
  return dtype == worklog::DType::kFloat32 ? "block_sizes" : "half_block_sizes";
}

// The lists that the sweep suggests for a step or variant, by their names.
std::map<std::string, json> suggestions(const worklog::Step& step, const Sweep& sweep) {
  std::map<std::string, Swept> swept;
  for (const auto& [dtype, by_rows] : sweep) {
    for (const auto& [rows, by_cols] : by_rows) {
      Swept& list = swept[list_for(step, dtype, rows)];
      list.tolerance = tolerance_at(rows);
      for (const auto& [cols, times] : by_cols) {
        list.at[cols].push_back(times);
      }
    }
  }
  std::map<std::string, json> lists;
  for (const auto& [name, widths] : swept) {
    lists[name] = suggestion(widths);
  }
  return lists;
}

// As the files are written by hand: an entry a line.
std::string text_of(const json& tables) {
  std::string text = "{";
  const char* before_table = "\n";
  for (const auto& [kernel, table] : tables.items()) {
    text += before_table + ("  \"" + kernel + "\": {");
    const char* before_list = "\n";
    for (const auto& [name, list] : table.items()) {
      text += before_list + ("    \"" + name + "\": [");
      const bool one = list.size() == 1;
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (!one) text += i == 0 ? "\n      " : ",\n      ";
        text += list[i].contains("up_to_cols")
                    ? "{\"up_to_cols\": " + list[i].at("up_to_cols").dump() + ", "
                    : "{";
        text += "\"block_size\": " + list[i].at("block_size").dump() + "}";
      }
      text += one ? "]" : "\n    ]";
      before_list = ",\n";
    }
    text += "\n  }";
    before_table = ",\n";
  }
  return text + "\n}\n";
}

// Puts lists into steps/NAME/block_sizes.json; the other lists stay.
void write(const std::filesystem::path& steps, const worklog::Step& step,
           const std::map<std::string, json>& lists) {
  const std::filesystem::path file = steps / step.name / "block_sizes.json";
  json tables = json::object();
  if (std::filesystem::exists(file)) {
    std::ifstream in(file);
    tables = json::parse(in);
  }
  json& table = tables[step.variant.empty() ? "softmax.cu" : "variants/" + step.variant + ".cu"];
  for (const auto& [name, list] : lists) {
    table[name] = list;
  }
  worklog::write_whole(file, text_of(tables));
  std::cout << "  written to " << file.string() << '\n';
}

// With a folder of steps, what is suggested is written there.
int check_all(const std::string& path, const std::optional<std::filesystem::path>& steps) {
  int slow = 0;
  const std::map<std::string, Sweep> sweeps = read_sweep(path);
  for (const worklog::Step& step : worklog::all_steps()) {
    const auto found = sweeps.find(step.label());
    if (found == sweeps.end()) {
      std::cout << step.label() << ": not in the sweep\n";
      continue;
    }
    std::map<std::string, json> lists;  // those that are to change
    for (const auto& [dtype, by_rows] : found->second) {
      for (const auto& [rows, by_cols] : by_rows) {
        const int slow_widths = check(step, dtype, rows, by_cols);
        if (slow_widths > 0) lists[list_for(step, dtype, rows)];
        slow += slow_widths;
      }
    }
    if (lists.empty()) {
      std::cout << step.label() << ": no other block size is clearly faster at any shape\n";
      continue;
    }
    for (auto& [name, list] : lists) {
      list = suggestions(step, found->second).at(name);
      std::cout << "  suggestion: \"" << name << "\": " << list.dump() << '\n';
    }
    if (steps) write(*steps, step, lists);
  }
  return slow;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool writes = arguments.size() == 3 && arguments[0] == "--write";
  if (!writes && (arguments.size() != 1 || arguments[0].starts_with('-'))) {
    std::cerr << "usage: worklog_check_block_sizes [--write STEPS] SWEEP.json\n"
                 "With --write, what the sweep suggests where a choice is too slow goes into\n"
                 "STEPS/NN_slug/block_sizes.json.\n";
    return 2;
  }
  const std::string& sweep = arguments.back();
  try {
    std::optional<std::filesystem::path> steps;
    if (writes) steps = arguments[1];
    return check_all(sweep, steps) == 0 || writes ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "worklog_check_block_sizes: " << sweep << ": " << error.what() << '\n';
    return 2;
  }
}
