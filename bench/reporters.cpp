#include "bench/reporters.h"

#include <cstdio>
#include <ctime>
#include <fmt/chrono.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "bench/fields.h"

namespace worklog::bench {

namespace {

// The time of day in UTC, such as 2026-01-31T23:59:59+00:00.
std::string now() {
  return fmt::format("{:%FT%T+00:00}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

bool LineReporter::ReportContext(const Context&) {
  fmt::print("{:62} {:>12} {:>8} {:>8} {:>9}\n", "", "median us", "spread", "GB/s", "ceiling");
  return true;
}

void LineReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::string name =
        fmt::format("[{}/{}] {}", ++reported_, measurements_, run.benchmark_name());
    if (run.counters.find("median_us") == run.counters.end()) {
      fmt::print("{}: no time: {}\n", name, run.report_label);
    } else {
      const auto counter = [&](const char* wanted) { return run.counters.at(wanted).value; };
      const bool has_ceiling = run.counters.contains("fraction");
      const std::string fraction =
          has_ceiling ? fmt::format("{:.1f}%", 100.0 * counter("fraction")) : "-";
      fmt::print("{:62} {:12.2f} {:7.1f}% {:8.0f} {:>9}  {}\n", name, counter("median_us"),
                 100.0 * counter("spread"), counter("gbps"), fraction, run.report_label);
    }
  }
  std::fflush(stdout);
}

ResultsReporter::ResultsReporter(const std::vector<Measurement>& measurements,
                                 std::vector<std::pair<std::string, std::string>> machine)
    : machine_(std::move(machine)) {
  for (const Measurement& measurement : measurements)
    by_name_[measurement.name()] = measurement;
}

bool ResultsReporter::ReportContext(const Context& context) {
  nlohmann::ordered_json about = {{"date", now()}};
  for (const auto& [name, value] : machine_)
    about[name] = value;
  about["num_cpus"] = context.cpu_info.num_cpus;
  GetOutputStream() << "{\n\"context\": " << about.dump(1) << ",\n\"benchmarks\": [";
  return true;
}

void ResultsReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    nlohmann::ordered_json row = fields_of(by_name_.at(run.benchmark_name()));
    const auto median = run.counters.find("median_us");
    if (median == run.counters.end()) {
      row["error_occurred"] = true;
      row["error_message"] = run.report_label;
    } else {
      row["real_time"] = median->second.value;
      row["time_unit"] = "us";
      for (const auto& [name, counter] : run.counters)
        row[name] = counter.value;
      if (!run.report_label.empty()) row["label"] = run.report_label;
    }
    GetOutputStream() << (first_ ? "\n" : ",\n") << row.dump();
    first_ = false;
  }
  GetOutputStream().flush();
}

void ResultsReporter::Finalize() {
  GetOutputStream() << "\n]\n}\n";
}

}  // namespace worklog::bench
