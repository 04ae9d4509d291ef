#include "simt/run/report.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/ostream.h>
#include <fstream>
#include <map>
#include <ostream>

#include "simt/run/floors.h"
#include "simt/run/table.h"

namespace simt::run {
namespace {

using nlohmann::ordered_json;

/// More rows than this are not shown; --json has them.
constexpr std::size_t kMaxRows = 40;
constexpr std::size_t kMaxNameLength = 40;

constexpr char kLegend[] =
    "\nLoads, stores and atomics are requests of a warp; sectors (32 bytes), bank conflicts and\n"
    "constant words (4 bytes) are for each of them; divergences are how often a warp had to go "
    "both\n"
    "ways of a branch. A row of the upper table is one launch, or one of several that did the "
    "same;\nthe lower one adds all up.\n";

/// A counter that is left out is 0.
std::uint64_t number(const ordered_json& counters, const char* name) {
  return counters.value(name, std::uint64_t{0});
}

/// Of a total, how much a request; empty without requests.
std::string per_request(std::uint64_t total, std::uint64_t requests) {
  if (requests == 0) return "0";
  return fmt::format("{:.2f}", static_cast<double>(total) / static_cast<double>(requests));
}

std::string shape(const ordered_json& extents) {
  const auto x = extents[0].get<unsigned>();
  const auto y = extents[1].get<unsigned>();
  const auto z = extents[2].get<unsigned>();
  if (z > 1) return fmt::format("{}x{}x{}", x, y, z);
  return y > 1 ? fmt::format("{}x{}", x, y) : std::to_string(x);
}

std::string shortened(const std::string& name) {
  return name.size() <= kMaxNameLength ? name : name.substr(0, kMaxNameLength - 3) + "...";
}

/// Those that add_counters() fills.
void add_counter_columns(Table& table) {
  constexpr std::array<std::pair<const char*, const char*>, 24> kTitles = {
      {{"global", "loads"},     {"", "sectors"},       {"global", "stores"},  {"", "sectors"},
       {"global", "atomics"},   {"shared", "loads"},   {"", "conflicts"},     {"shared", "stores"},
       {"", "conflicts"},       {"shared", "atomics"}, {"constant", "loads"}, {"", "words"},
       {"cluster", "accesses"}, {"link", "loads"},     {"", "sectors"},       {"link", "stores"},
       {"", "sectors"},         {"link", "atomics"},   {"", "shuffles"},      {"", "votes"},
       {"tensor", "instr."},    {"", "barriers"},      {"warp", "syncs"},     {"", "divergences"}}};
  for (const auto& [upper, lower] : kTitles)
    table.add_column(upper, lower, Table::Column::kNumber);
}

/// Requests, and what one of them costs.
void add_counters(std::vector<std::string>& row, const ordered_json& counters) {
  const auto value = [&](const char* name) { return number(counters, name); };
  const auto add = [&](const char* requests, const char* cost = nullptr) {
    row.push_back(std::to_string(value(requests)));
    if (cost != nullptr) row.push_back(per_request(value(cost), value(requests)));
  };
  add("global_load_requests", "global_load_sectors");
  add("global_store_requests", "global_store_sectors");
  add("global_atomic_requests");
  add("shared_load_requests", "shared_load_bank_conflicts");
  add("shared_store_requests", "shared_store_bank_conflicts");
  add("shared_atomic_requests");
  add("constant_load_requests", "constant_load_words");
  add("distributed_requests");
  add("link_load_requests", "link_load_sectors");
  add("link_store_requests", "link_store_sectors");
  add("link_atomic_requests");
  add("shuffles");
  add("votes");
  add("tensor_instructions");
  row.push_back(std::to_string(value("block_barriers") + value("cluster_barriers")));
  add("warp_syncs");
  add("divergences");
}

/// Whether a finding has ended it before it was done.
bool was_ended(const ordered_json& launch) {
  return launch.value("ended", false);
}

void add_launch(Table& table, const ordered_json& launch, std::size_t times) {
  const std::string name = shortened(launch["kernel"].get<std::string>());
  std::vector<std::string> row = {name + (was_ended(launch) ? " (ended)" : ""),
                                  std::to_string(times), shape(launch["grid"]),
                                  shape(launch["block"])};
  add_counters(row, launch["counters"]);
  table.add_row(std::move(row));
}

constexpr char kAboutEnded[] =
    "\n(ended): a finding, see below, ended the launch before it was done. Its counters are those "
    "of a\npart of what it did until then, or 0.\n";

void print_launches(std::ostream& out, const ordered_json& launches) {
  Table table;
  table.add_column("", "kernel", Table::Column::kText);
  for (const char* title : {"launches", "grid", "block"})
    table.add_column("", title, Table::Column::kNumber);
  add_counter_columns(table);
  std::size_t rows = 0;
  std::size_t next = 0;
  while (next < launches.size() && rows < kMaxRows) {
    const ordered_json& launch = launches[next];
    std::size_t times = 1;
    while (next + times < launches.size() && launches[next + times] == launch)
      ++times;
    add_launch(table, launch, times);
    ++rows;
    next += times;
  }
  table.print(out);
  if (next < launches.size()) {
    fmt::print(out, "  and {} more launches: --json FILE writes all of them\n",
               launches.size() - next);
  }
  if (std::any_of(launches.begin(), launches.begin() + static_cast<std::ptrdiff_t>(next),
                  was_ended)) {
    out << kAboutEnded;
  }
}

bool is_plain(const ordered_json& launch) {
  return launch.value("plain", false);
}

/// Those that were counted.
ordered_json without_plain(const ordered_json& launches) {
  ordered_json counted = ordered_json::array();
  std::remove_copy_if(launches.begin(), launches.end(), std::back_inserter(counted), is_plain);
  return counted;
}

/// How many of each kernel and shape were not counted.
void print_plain(std::ostream& out, const ordered_json& launches) {
  std::map<std::array<std::string, 3>, std::size_t> counts;
  std::size_t all = 0;
  for (const ordered_json& launch : launches) {
    if (!is_plain(launch)) continue;
    ++all;
    ++counts[{launch["kernel"].get<std::string>(), shape(launch["grid"]), shape(launch["block"])}];
  }
  if (all == 0) return;
  fmt::print(
      out,
      "\n{} launch{} ran plain, neither counted nor checked, after others of the same kernel "
      "and shape\nhad been (--count all counts every one):\n",
      all, all == 1 ? "" : "es");
  Table table;
  table.add_column("", "kernel", Table::Column::kText);
  for (const char* title : {"launches", "grid", "block"})
    table.add_column("", title, Table::Column::kNumber);
  for (const auto& [kind, count] : counts)
    table.add_row({shortened(kind[0]), std::to_string(count), kind[1], kind[2]});
  table.print(out);
}

/// What the lines of all launches did, by file and line.
std::map<std::pair<std::string, int>, ordered_json> sum_by_line(const ordered_json& launches) {
  std::map<std::pair<std::string, int>, ordered_json> sums;
  for (const ordered_json& launch : launches) {
    for (const ordered_json& line : launch["lines"]) {
      ordered_json& sum = sums[{line["file"].get<std::string>(), line["line"].get<int>()}];
      if (sum.is_null()) sum = ordered_json::object();
      for (const auto& [name, value] : line["counters"].items())
        sum[name] = number(sum, name.c_str()) + value.get<std::uint64_t>();
    }
  }
  return sums;
}

/// Whether it has anything else than its launches, blocks and threads that a table shows.
bool shows_counters(const ordered_json& launch) {
  std::vector<std::string> cells;
  add_counters(cells, launch["counters"]);
  return std::any_of(cells.begin(), cells.end(),
                     [](const std::string& cell) { return cell != "0"; });
}

void print_lines(std::ostream& out, const ordered_json& launches) {
  Table table;
  table.add_column("", "line", Table::Column::kText);
  add_counter_columns(table);
  for (const auto& [place, counters] : sum_by_line(launches)) {
    std::vector<std::string> row = {fmt::format("{}:{}", place.first, place.second)};
    add_counters(row, counters);
    const bool shows = std::any_of(row.begin() + 1, row.end(),
                                   [](const std::string& cell) { return cell != "0"; });
    if (shows) table.add_row(std::move(row));
  }
  out << '\n';
  table.print(out);
}

}  // namespace

namespace {

/// What tells findings apart that several launches may have.
std::string key_of(const ordered_json& finding) {
  std::string key = finding["kind"];
  for (const ordered_json& line : finding["lines"])
    key += "\n" + line["place"].get<std::string>();
  return key;
}

/// Findings of one kind at the same lines become one, that of the first launch.
class MergedFindings {
 public:
  explicit MergedFindings(ordered_json& findings) : findings_(findings) {}

  void add(ordered_json finding) {
    const auto launch = finding["launch"].get<std::uint64_t>();
    finding.erase("launch");
    const auto [known, is_new] = by_key_.try_emplace(key_of(finding), findings_.size());
    if (is_new) {
      finding["count"] = 0;
      finding["launches"] = ordered_json::array();
      findings_.push_back(std::move(finding));
    }
    ordered_json& merged = findings_[known->second];
    merged["count"] = merged["count"].get<std::uint64_t>() + 1;
    ordered_json& launches = merged["launches"];
    if (launch != 0 && (launches.empty() || launches.back() != launch)) launches.push_back(launch);
  }

 private:
  ordered_json& findings_;
  std::map<std::string, std::size_t> by_key_;
};

/// "1 to 3, 5": at most so many ranges, then "and others".
std::string ranges(const ordered_json& numbers) {
  constexpr std::size_t kMostRanges = 8;
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < numbers.size(); ++count) {
    const auto first = numbers[i].get<std::uint64_t>();
    std::uint64_t last = first;
    while (++i < numbers.size() && numbers[i] == last + 1)
      ++last;
    if (count == kMostRanges) return text + " and others";
    if (count > 0) text += ", ";
    text += std::to_string(first);
    if (last > first) text += (last == first + 1 ? " and " : " to ") + std::to_string(last);
  }
  return text;
}

/// A line about how often a finding was made; empty for once.
std::string repetitions(const ordered_json& finding) {
  const ordered_json& launches = finding["launches"];
  const auto count = finding["count"].get<std::uint64_t>();
  if (count < 2) return "";
  if (launches.size() < 2) return fmt::format("\n  found {} times", count);
  return fmt::format("\n  found in {} launches: {}; above is the first", launches.size(),
                     ranges(launches));
}

/// Calls of one function between the same launches become one.
void add_library_call(ordered_json& record, const ordered_json& call) {
  ordered_json& calls = record["library_calls"];
  for (ordered_json& known : calls) {
    if (known["function"] != call["function"] || known["launch"] != call["launch"]) continue;
    known["count"] = known["count"].get<std::uint64_t>() + 1;
    return;
  }
  calls.push_back(call);
  calls.back()["count"] = 1;
}

}  // namespace

ordered_json read_record(const std::filesystem::path& file) {
  ordered_json record = {{"launches", ordered_json::array()},
                         {"library_calls", ordered_json::array()},
                         {"findings", ordered_json::array()},
                         {"notes", ordered_json::array()}};
  MergedFindings findings(record["findings"]);
  MergedFindings notes(record["notes"]);
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const ordered_json entry = ordered_json::parse(line, nullptr, false);
    if (entry.contains("launch")) record["launches"].push_back(entry["launch"]);
    if (entry.contains("library_call")) add_library_call(record, entry["library_call"]);
    if (entry.contains("finding")) findings.add(entry["finding"]);
    if (entry.contains("note")) notes.add(entry["note"]);
    if (entry.contains("timed_out")) record["timed_out"] = true;
  }
  return record;
}

namespace {

std::string microseconds(double seconds) {
  return seconds == 0 ? "0" : fmt::format("{:.3g}", seconds * 1e6);
}

/// What libraries have done on the device, and no kernel of the program's.
void print_library_calls(std::ostream& out, const ordered_json& record) {
  if (record["library_calls"].empty()) return;
  std::map<std::string, std::uint64_t> counts;
  for (const ordered_json& call : record["library_calls"])
    counts[call["function"].get<std::string>()] += call["count"].get<std::uint64_t>();
  out << "\nOf libraries, not counted:";
  const char* separator = " ";
  for (const auto& [function, count] : counts) {
    fmt::print(out, "{}{} ({}x)", separator, function, count);
    separator = ", ";
  }
  out << '\n';
}

/// "file.cu:12"; empty where no line is known.
std::string place_of(const ordered_json& line) {
  if (line.is_null()) return "";
  return fmt::format("{}:{}", line["file"].get<std::string>(), line["line"].get<int>());
}

/// One row for each kernel and unit would hide which launch it is: a row for each launch.
void print_floors(std::ostream& out, const ordered_json& launches, const std::string& device) {
  const ordered_json figures = device_figures(device);
  fmt::print(
      out,
      "\nFloors on {}, in microseconds: at the data sheet's clock no launch takes less there that\n"
      "accesses memory as the source does; a compiler may merge accesses.\n",
      figures["name"].get<std::string>());
  Table table;
  table.add_column("", "launch", Table::Column::kText);
  const ordered_json units = floors(ordered_json::object(), figures);
  for (const auto& [unit, none] : units.items())
    table.add_column("", unit, Table::Column::kNumber);
  table.add_column("", "highest", Table::Column::kText);
  table.add_column("", "asks for most", Table::Column::kText);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (is_plain(launches[i])) continue;
    const ordered_json all = floors(launches[i]["counters"], figures);
    std::vector<std::string> row = {
        fmt::format("{} {}", i + 1, launches[i]["kernel"].get<std::string>())};
    for (const auto& [unit, seconds] : all.items())
      row.push_back(microseconds(seconds));
    row.push_back(highest_floor(all));
    row.push_back(place_of(asking_line(launches[i], figures)));
    table.add_row(std::move(row));
  }
  table.print(out);
  out << '\n';
}

}  // namespace

void print_report(std::ostream& out, const ordered_json& record, const Ending& ending,
                  const Options& options) {
  const ordered_json& launches = record["launches"];
  const ordered_json& findings = record["findings"];
  const ordered_json& notes = record["notes"];
  const std::string and_notes =
      notes.empty() ? "" : fmt::format(", {} note{}", notes.size(), notes.size() == 1 ? "" : "s");
  fmt::print(out, "\n== {}: {} launch{}, {} finding{}{}\n\n",
             options.sources.front().filename().string(), launches.size(),
             launches.size() == 1 ? "" : "es", findings.size(), findings.size() == 1 ? "" : "s",
             and_notes);
  if (launches.empty()) {
    out << "  No kernel was run.\n";
  } else {
    const ordered_json counted = without_plain(launches);
    print_launches(out, counted);
    // Of kernels that ask memory for nothing there is no more to say.
    if (std::any_of(counted.begin(), counted.end(), shows_counters)) {
      print_lines(out, counted);
      out << kLegend;
    }
    print_plain(out, launches);
    if (!options.on.empty()) print_floors(out, launches, options.on);
  }
  print_library_calls(out, record);
  for (const ordered_json* const all : {&findings, &notes}) {
    for (const ordered_json& finding : *all)
      out << "\n" << finding["message"].get<std::string>() << repetitions(finding) << "\n";
  }
  if (ending.timed_out) {
    fmt::print(out, "\nThe program did not end within {} s and was ended (--time-limit).\n",
               options.time_limit);
  } else if (ending.signal != 0) {
    fmt::print(out, "\nThe program was ended by signal {} ({}).\n", ending.signal,
               strsignal(ending.signal));
  } else if (ending.exit_code != 0) {
    fmt::print(out, "\nThe program's exit code is {}.\n", ending.exit_code);
  }
}

ordered_json to_json(const ordered_json& record, const Ending& ending, const Options& options) {
  ordered_json sources = ordered_json::array();
  for (const auto& source : options.sources)
    sources.push_back(source.string());
  ordered_json all = {{"sources", sources},
                      {"exit_code", ending.exit_code},
                      {"signal", ending.signal},
                      {"timed_out", ending.timed_out}};
  all.update(record);
  if (options.on.empty()) return all;
  const ordered_json figures = device_figures(options.on);
  all["device"] = figures;
  for (ordered_json& launch : all["launches"]) {
    if (is_plain(launch)) continue;
    launch["floors"] = floors(launch["counters"], figures);
    const ordered_json asking = asking_line(launch, figures);
    if (!asking.is_null()) launch["asking_line"] = asking;
  }
  return all;
}

int exit_code(const ordered_json& record, const Ending& ending) {
  if (ending.exit_code != 0) return ending.exit_code;
  return record["findings"].empty() ? 0 : 1;
}

}  // namespace simt::run
