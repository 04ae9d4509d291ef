// worklog_library_times: the library beside its own candidates, cuDNN and a copy of the same bytes,
// and what a call costs the host. bench/library_peers.py times others by the same method.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/cudnn_softmax.h"
#include "bench/library_cases.h"
#include "bench/library_host_calls.h"
#include "bench/times.h"
#include "common/cuda/device.h"
#include "common/program/command_line.h"
#include "common/program/write_whole.h"

namespace {

using nlohmann::ordered_json;
using worklog::bench::DoesNotFit;
using worklog::bench::LibraryCase;
using worklog::bench::Measurement;
using worklog::bench::Refused;
using worklog::bench::Result;
using worklog::bench::Times;
using Clock = std::chrono::steady_clock;

constexpr worklog::bench::TimeLimit kTimeLimit{0.01};  // of a measurement: there are thousands
constexpr double kSeconds = 280.0;

constexpr double kMuchSlower = 1.15;  // than the library

struct Options {
  std::string out;
  std::string cases;
  std::string filter;
  double seconds = kSeconds;
  bool list = false;
};

// Nothing if only help was asked for, which is printed.
std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app("The library beside its candidates, cuDNN and a copy of the same bytes.",
               "worklog_library_times");
  app.add_option("--out", options.out, "where the JSON goes")->type_name("FILE");
  app.add_option("--cases", options.cases, "write the cases there, for other programs to time")
      ->type_name("FILE");
  app.add_option("--filter", options.filter, "only cases whose name contains TEXT")
      ->type_name("TEXT");
  app.add_option("--seconds", options.seconds, "begin no case after S seconds")
      ->type_name("S")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--list", options.list, "print the cases' names, and time none");
  if (worklog::wants_help(app, argc, argv)) {
    std::cout << app.help();
    return std::nullopt;
  }
  if (options.out.empty() && options.cases.empty() && !options.list) {
    throw worklog::UsageError("--out FILE is missing");
  }
  return options;
}

std::vector<LibraryCase> cases_to_time(const std::string& filter) {
  std::vector<LibraryCase> cases =
      worklog::bench::library_cases(worklog::current_device().l2_bytes);
  std::erase_if(cases, [&](const LibraryCase& a_case) {
    return a_case.name().find(filter) == std::string::npos;
  });
  if (cases.empty()) throw std::invalid_argument("--filter " + filter + ": no such case");
  return cases;
}

// Who did it: "library", a step, or "cudnn".
std::string name_of(const Measurement& measurement) {
  const std::string name = measurement.subject_name();
  return measurement.subject == worklog::bench::Subject::kStep ? name
                                                               : name.substr(0, name.find('/'));
}

// Times the cases one after the other, and keeps a row of each.
class Run {
 public:
  explicit Run(Times& times) : times_(times) {}

  // All in turn: the library, its candidates and cuDNN.
  void time(const LibraryCase& a_case) {
    const std::vector<Measurement> all = measurements_of(a_case);
    std::vector<ordered_json> best(all.size(), ordered_json::object());
    for (int round = 0; round < rounds_of(a_case); ++round) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        ordered_json row = taken(a_case, all[i], median_of(best[0]));
        if (round == 0 || median_of(row) < median_of(best[i])) best[i] = std::move(row);
      }
    }
    if (median_of(best[0]) < kNoTime) best[0]["step"] = worklog::bench::picked_step(a_case);
    for (ordered_json& row : best) {
      report(a_case, row);
      rows_.push_back(std::move(row));
    }
  }

  const ordered_json& rows() const { return rows_; }
  int failed() const { return failed_; }

 private:
  static constexpr double kNoTime = std::numeric_limits<double>::infinity();

  // A GPU changes its clocks on the way, which a few microseconds show: there all are timed in
  // turn, several times, and the fastest of the times counts.
  static int rounds_of(const LibraryCase& a_case) {
    constexpr std::int64_t kSmall = 1 << 23;  // elements, as bench/baselines/library_measuring.py
    return a_case.rows * a_case.cols <= kSmall ? 3 : 1;
  }

  static std::vector<Measurement> measurements_of(const LibraryCase& a_case) {
    std::vector<Measurement> all = {worklog::bench::measurement_of(a_case)};
    for (const Measurement& candidate : worklog::bench::candidates_for(a_case))
      all.push_back(candidate);
    if (worklog::bench::cudnn_version().empty()) return all;
    for (const Measurement& cudnn : worklog::bench::cudnn_for(a_case))
      all.push_back(cudnn);
    return all;
  }

  static double median_of(const ordered_json& row) { return row.value("median_us", kNoTime); }

  // One that a quick look finds so much slower than the library, if that was timed, is not looked
  // at again.
  Result time(const Measurement& measurement, double library_us) {
    if (library_us == kNoTime) return times_.time(measurement);
    const Result quick = times_.quick_look(measurement);
    return quick.timing.median_us > kMuchSlower * library_us ? quick : times_.time(measurement);
  }

  // A row of one measurement: its time, or why there is none. That arrays do not fit, or that
  // somebody does not take a shape, is a result; anything else is a failure, too.
  ordered_json taken(const LibraryCase& a_case, const Measurement& measurement, double library_us) {
    ordered_json row = {{"by", name_of(measurement)}};
    row.update(a_case.fields());
    try {
      const Result result = time(measurement, library_us);
      row["median_us"] = result.timing.median_us;
      row["spread"] = result.timing.spread;
      row["samples"] = result.timing.samples;
      row["limit_us"] = result.ceiling_us;
    } catch (const std::exception& error) {
      const bool is_result = dynamic_cast<const DoesNotFit*>(&error) != nullptr ||
                             dynamic_cast<const Refused*>(&error) != nullptr;
      row["error_message"] = error.what();
      row["is_failure"] = !is_result;
    }
    return row;
  }

  void report(const LibraryCase& a_case, ordered_json& row) {
    if (!row.contains("error_message")) return;
    if (row["is_failure"].get<bool>()) ++failed_;
    row.erase("is_failure");
    fmt::print("{}, {}: no time: {}\n", a_case.name(), row["by"].get<std::string>(),
               row["error_message"].get<std::string>());
  }

  Times& times_;
  ordered_json rows_ = ordered_json::array();
  int failed_ = 0;
};

ordered_json context_of(const Times& times) {
  ordered_json context = {{"date", fmt::format("{:%FT%T+00:00}", fmt::gmtime(std::time(nullptr)))}};
  for (const auto& [name, value] : times.machine())
    context[name] = value;
  return context;
}

int time_all(const Options& options, const std::vector<LibraryCase>& cases) {
  const std::unique_ptr<Times> times = worklog::bench::make_times(kTimeLimit);
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(options.seconds));
  const ordered_json host_calls = worklog::bench::library_host_calls();
  Run run(*times);
  std::size_t begun = 0;
  while (begun < cases.size() && Clock::now() < end) {
    run.time(cases[begun++]);
    fmt::print("[{}/{}] {}\n", begun, cases.size(), cases[begun - 1].name());
    std::fflush(stdout);
  }
  const ordered_json document = {
      {"context", context_of(*times)}, {"of_library", run.rows()}, {"host_calls", host_calls}};
  worklog::write_whole(options.out, document.dump(1) + '\n');
  if (begun < cases.size()) {
    std::cerr << "worklog_library_times: " << cases.size() - begun << " of " << cases.size()
              << " cases were not begun in " << options.seconds << " s\n";
  }
  if (run.failed() > 0) {
    std::cerr << "worklog_library_times: " << run.failed() << " measurements failed\n";
  }
  return begun < cases.size() || run.failed() > 0 ? 1 : 0;
}

void write_cases(const std::vector<LibraryCase>& cases, const std::string& path) {
  std::vector<std::string> lines;
  lines.reserve(cases.size());
  for (const LibraryCase& a_case : cases)
    lines.push_back(a_case.fields().dump());
  worklog::write_whole(path, fmt::format("{{\"cases\": [\n{}\n]}}\n", fmt::join(lines, ",\n")));
}

int library_times(const Options& options) {
  const std::vector<LibraryCase> cases = cases_to_time(options.filter);
  if (options.list) {
    for (const LibraryCase& a_case : cases)
      fmt::print("{}\n", a_case.name());
  }
  if (!options.cases.empty()) write_cases(cases, options.cases);
  return options.out.empty() ? 0 : time_all(options, cases);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::optional<Options> options = parse(argc, argv);
    return options ? library_times(*options) : 0;
  } catch (const std::invalid_argument& error) {
    std::cerr << "worklog_library_times: " << error.what()
              << "\nsee worklog_library_times --help\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "worklog_library_times: " << error.what() << '\n';
    return 1;
  }
}
