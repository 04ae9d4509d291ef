#include "bench/reporters.h"

#include <cstdio>
#include <string>

namespace worklog::bench {

bool LineReporter::ReportContext(const Context&) {
  std::printf("%-62s %12s %8s %8s %9s\n", "", "median us", "spread", "GB/s", "ceiling");
  return true;
}

void LineReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::string number =
        "[" + std::to_string(++reported_) + "/" + std::to_string(measurements_) + "] ";
    if (run.counters.find("median_us") == run.counters.end()) {
      std::printf("%s%s: no time: %s\n", number.c_str(), run.benchmark_name().c_str(),
                  run.report_label.c_str());
    } else {
      const auto counter = [&](const char* name) { return run.counters.at(name).value; };
      std::printf("%-62s %12.2f %7.1f%% %8.0f %8.1f%%  %s\n",
                  (number + run.benchmark_name()).c_str(), counter("median_us"),
                  100.0 * counter("spread"), counter("gbps"), 100.0 * counter("fraction"),
                  run.report_label.c_str());
    }
  }
  std::fflush(stdout);
}

void MedianJsonReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> with_medians = runs;
  for (Run& run : with_medians) {
    const auto median = run.counters.find("median_us");
    if (median == run.counters.end()) continue;
    run.real_accumulated_time = median->second.value * 1e-6 * static_cast<double>(run.iterations);
    run.cpu_accumulated_time = run.real_accumulated_time;
  }
  JSONReporter::ReportRuns(with_medians);
}

}  // namespace worklog::bench
