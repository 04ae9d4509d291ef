#include "common/program/line_table.h"

#include <fmt/format.h>
#include <ostream>

#include "common/program/table.h"

namespace worklog {

namespace {

constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kNumberWidth = 5;
constexpr std::string_view kDivergence = "divergence";

LineAction action(std::string_view what, const simt::Traffic& traffic) {
  return {.what = what, .count = traffic.requests, .sectors = traffic.sectors};
}

LineAction action(std::string_view what, const simt::SharedTraffic& traffic) {
  return {.what = what,
          .count = traffic.requests,
          .wavefronts = traffic.wavefronts,
          .conflicts = traffic.bank_conflicts};
}

std::string cell(std::uint64_t count) {
  return count == 0 ? "" : std::to_string(count);
}

// Sectors or wavefronts of one request.
std::string ratio_cell(const LineAction& action) {
  const std::uint64_t cost = action.sectors + action.wavefronts;
  if (cost == 0) return "";
  return fmt::format("{:.2f}", static_cast<double>(cost) / static_cast<double>(action.count));
}

std::string source_row(int number, const std::string& text) {
  std::string row = fmt::format("{:>{}}", number, kNumberWidth);
  if (!text.empty()) row += "  " + text;
  if (row.size() > kLineWidth) row = row.substr(0, kLineWidth - 3) + "...";
  return row;
}

}  // namespace

std::vector<LineAction> actions_of(const simt::Counters& counters) {
  std::vector<LineAction> actions = {
      action("global load", counters.global_loads),
      action("global store", counters.global_stores),
      action("global atomic", counters.global_atomics),
      action("shared load", counters.shared_loads),
      action("shared store", counters.shared_stores),
      action("shared atomic", counters.shared_atomics),
      {.what = "constant load", .count = counters.constant_loads.requests},
      {.what = "distributed shared", .count = counters.distributed_requests},
      {.what = "shuffle", .count = counters.shuffles},
      {.what = "vote", .count = counters.votes},
      {.what = "warp sync", .count = counters.warp_syncs},
      {.what = "tensor instruction", .count = counters.tensor_instructions},
      {.what = "block barrier", .count = counters.block_barriers},
      {.what = "barrier of several blocks", .count = counters.cluster_barriers},
      {.what = kDivergence, .count = counters.divergences}};
  std::erase_if(actions, [](const LineAction& action) { return action.count == 0; });
  return actions;
}

void print_line_table(std::ostream& out, const std::vector<simt::LineCounters>& lines,
                      const SourceText& source) {
  const Table table(out, {{"", static_cast<int>(kNumberWidth)},
                          {"what the line does", 18},
                          {"requests", 10, true},
                          {"sectors", 10, true},
                          {"wavefronts", 10, true},
                          {"per request", 11, true},
                          {"conflicts", 9, true}});
  table.print_header();
  std::string file;
  bool diverged = false;
  for (const simt::LineCounters& line : lines) {
    const std::vector<LineAction> actions = actions_of(line.counters);
    if (actions.empty()) continue;
    if (line.file != file) out << line.file << "\n";
    file = line.file;
    out << source_row(line.line, source.line(line.file, line.line)) << "\n";
    for (const LineAction& action : actions) {
      table.print_row({"", std::string(action.what), cell(action.count), cell(action.sectors),
                       cell(action.wavefronts), ratio_cell(action), cell(action.conflicts)});
      diverged = diverged || action.what == kDivergence;
    }
  }
  if (diverged) {
    out << "\ndivergence: the lanes of a warp part at a branch, which may stand some lines below "
           "the "
           "line shown: it is\n  counted where the straight piece of code begins that ends in it\n";
  }
}

}  // namespace worklog
