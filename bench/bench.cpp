// worklog_bench: the time of every step, variant, type and shape, as Google Benchmark's results.
//
// Google Benchmark owns the names, the filter and the JSON (--benchmark_out=FILE). The samples are
// ours (common/measure/timing.h): Google Benchmark calls each measurement once and is told its
// median.

#include <benchmark/benchmark.h>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/cudnn_softmax.h"
#include "bench/cudnn_steps.h"
#include "bench/fields.h"
#include "bench/measurement.h"
#include "bench/reporters.h"
#include "bench/times.h"
#include "common/step/step.h"

namespace {

using worklog::Step;
using worklog::bench::DoesNotFit;
using worklog::bench::Measurement;
using worklog::bench::Refused;
using worklog::bench::Result;
using worklog::bench::Subject;
using worklog::bench::Times;

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kBadUsage = 2;

// Rows without a time because something failed.
int failed_rows = 0;

// That arrays do not fit a GPU, or that a library does not take a shape, is a row's result.
bool is_failure(const std::exception& error) {
  return dynamic_cast<const DoesNotFit*>(&error) == nullptr &&
         dynamic_cast<const Refused*>(&error) == nullptr;
}

void report(benchmark::State& state, const Measurement& measurement, const Result& result) {
  const double us = result.timing.median_us;
  const auto bytes = static_cast<double>(measurement.bytes());
  state.counters["median_us"] = us;
  state.counters["spread"] = result.timing.spread;
  state.counters["samples"] = result.timing.samples;
  state.counters["bytes"] = bytes;
  state.counters["gbps"] = bytes / us * 1e-3;
  if (const std::optional<Subject> transfers = measurement.ceiling()) {
    const Measurement ceiling{.subject = *transfers};
    state.counters[ceiling.subject_name() + "_us"] = result.ceiling_us;
    state.counters["fraction"] = result.ceiling_us / us;
  }
  if (measurement.subject == Subject::kStep) state.counters["block_size"] = result.block_size;
  state.SetLabel(result.fastest);
}

void take_time(benchmark::State& state, const Measurement& measurement, Times& times) {
  Result result;
  try {
    result = times.time(measurement);
  } catch (const std::exception& error) {
    if (is_failure(error)) ++failed_rows;
    state.SetLabel(error.what());
    state.SkipWithError(error.what());
    return;
  }
  for (auto _ : state)
    report(state, measurement, result);
}

void register_all(const std::vector<Measurement>& measurements, Times* times) {
  for (const Measurement& measurement : measurements) {
    benchmark::RegisterBenchmark(measurement.name().c_str(), [measurement,
                                                              times](benchmark::State& state) {
      take_time(state, measurement, *times);
    })->Unit(benchmark::kMicrosecond);
  }
}

bool has_flag(int argc, char** argv, const char* flag) {
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], flag, std::strlen(flag)) == 0) return true;
  }
  return false;
}

// Google Benchmark's command line, with a last word: one call of a measurement is enough.
void initialize(int argc, char** argv) {
  static char once[] = "--benchmark_min_time=0";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.push_back(once);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  for (int i = 1; i < count; ++i) {
    throw std::invalid_argument(std::string("unknown option '") + arguments[i] +
                                "'; --help lists them");
  }
}

// All names are listed anywhere. What this build cannot time is left out of a run, and named.
std::vector<Measurement> measurements_to_register(bool lists_only) {
  if (lists_only || !worklog::bench::cudnn_version().empty()) {
    return worklog::bench::all_measurements(worklog::all_steps(), worklog::bench::cudnn_steps());
  }
  for (const Step& step : worklog::bench::cudnn_steps()) {
    std::cerr << "worklog_bench: " << step.label()
              << " is left out: cuDNN was not found when this was built\n";
  }
  return worklog::bench::all_measurements(worklog::all_steps());
}

// What would be timed, for other programs to time the same.
constexpr char kMeasurements[] = "--measurements=";

int bench(int argc, char** argv) {
  if (argc == 2 && has_flag(argc, argv, kMeasurements)) {
    worklog::bench::write_measurements(measurements_to_register(true),
                                       argv[1] + std::strlen(kMeasurements));
    return kSuccess;
  }
  if (has_flag(argc, argv, "--benchmark_format")) {
    throw std::invalid_argument("--benchmark_format: the JSON goes to --benchmark_out=FILE");
  }
  initialize(argc, argv);

  const bool lists_only = has_flag(argc, argv, "--benchmark_list_tests");
  const std::vector<Measurement> measurements = measurements_to_register(lists_only);
  std::unique_ptr<Times> times;
  if (!lists_only) {
    times = worklog::bench::make_times();
  }
  register_all(measurements, times.get());

  worklog::bench::LineReporter lines(measurements.size());
  worklog::bench::ResultsReporter json(measurements, times ? times->machine() : Pairs{});
  const bool to_file = has_flag(argc, argv, "--benchmark_out=");
  const std::size_t run = benchmark::RunSpecifiedBenchmarks(&lines, to_file ? &json : nullptr);
  benchmark::Shutdown();
  if (run == 0) {
    throw std::invalid_argument("no name matches '" + benchmark::GetBenchmarkFilter() +
                                "'; --benchmark_list_tests lists them");
  }
  if (failed_rows > 0) {
    std::cerr << "worklog_bench: " << failed_rows << " of " << run << " measurements failed\n";
    return kFailure;
  }
  return kSuccess;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return bench(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::cerr << "worklog_bench: " << error.what() << '\n';
    return kBadUsage;
  } catch (const std::exception& error) {
    std::cerr << "worklog_bench: " << error.what() << '\n';
    return kFailure;
  }
}
