// worklog_bench: the time of every step, variant, type and shape, as Google Benchmark's results.
//
// Google Benchmark owns the names, the filter and the JSON. The samples are ours
// (common/harness/timing.h): to it each row is one iteration that took the median time.

#include <benchmark/benchmark.h>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "bench/measurement.h"
#include "bench/times.h"
#include "common/step/step.h"

namespace {

using worklog::bench::Measurement;
using worklog::bench::Result;
using worklog::bench::Subject;
using worklog::bench::Times;

constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kBadUsage = 2;

// Rows that no time came of: the arrays are too large for the GPU, or a kernel failed.
int failed_rows = 0;

void report(benchmark::State& state, const Measurement& measurement, const Result& result) {
  const double us = result.timing.median_us;
  const auto bytes = static_cast<double>(measurement.bytes());
  state.SetIterationTime(us * 1e-6);
  state.counters["median_us"] = us;
  state.counters["spread"] = result.timing.spread;
  state.counters["samples"] = result.timing.samples;
  state.counters["bytes"] = bytes;
  state.counters["gbps"] = bytes / us * 1e-3;
  const bool read_is_ceiling = measurement.k > 0 || measurement.subject == Subject::kRead;
  state.counters[read_is_ceiling ? "read_us" : "copy_us"] = result.ceiling_us;
  state.counters["fraction"] = result.ceiling_us / us;
  if (measurement.subject == Subject::kStep) state.counters["block_size"] = result.block_size;
  state.SetLabel(result.fastest);
}

void take_time(benchmark::State& state, const Measurement& measurement, Times& times) {
  Result result;
  try {
    result = times.time(measurement);
  } catch (const std::exception& error) {
    ++failed_rows;
    state.SkipWithError(error.what());
    return;
  }
  for (auto _ : state)
    report(state, measurement, result);
}

void register_all(const std::vector<Measurement>& measurements, Times* times) {
  for (const Measurement& measurement : measurements) {
    benchmark::RegisterBenchmark(
        measurement.name().c_str(),
        [measurement, times](benchmark::State& state) { take_time(state, measurement, *times); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
  }
}

bool has_flag(int argc, char** argv, const char* flag) {
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], flag, std::strlen(flag)) == 0) return true;
  }
  return false;
}

int bench(int argc, char** argv) {
  const bool list_only = has_flag(argc, argv, "--benchmark_list_tests");
  const bool help_only = has_flag(argc, argv, "--help");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return kBadUsage;

  std::unique_ptr<Times> times;
  if (!list_only && !help_only) {
    times = worklog::bench::make_times();
    for (const auto& [name, value] : times->machine())
      benchmark::AddCustomContext(name, value);
  }
  const std::vector<Measurement> measurements =
      worklog::bench::all_measurements(worklog::all_steps());
  register_all(measurements, times.get());

  const std::size_t run = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (run == 0) {
    std::cerr << "worklog_bench: no name matches '" << benchmark::GetBenchmarkFilter()
              << "'; --benchmark_list_tests lists them\n";
    return kBadUsage;
  }
  if (failed_rows > 0) {
    std::cerr << "worklog_bench: " << failed_rows << " of " << run << " rows have no time\n";
    return kFailure;
  }
  return kSuccess;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return bench(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "worklog_bench: " << error.what() << '\n';
    return kFailure;
  }
}
