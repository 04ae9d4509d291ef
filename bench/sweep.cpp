// worklog_sweep: which block size is fastest for each step, variant and shape.
//
// The result decides the block_sizes of a step's registration: bench/check_block_sizes.cpp holds
// the two against each other.

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measurement.h"
#include "bench/shapes.h"
#include "bench/workload.h"
#include "common/cuda/device.h"
#include "common/measure/timing.h"
#include "common/program/command_line.h"
#include "common/program/write_whole.h"
#include "common/step/step.h"

namespace {

using nlohmann::json;
using worklog::DType;
using worklog::Sampling;
using worklog::Step;
using worklog::Timer;
using worklog::Timing;
using worklog::bench::Measurement;
using worklog::bench::StepWorkload;
using worklog::bench::Subject;

constexpr std::int64_t kRows[] = {4000, 10};
constexpr std::int64_t kCols[] = {100, 1000, 1024, 4000, 4096, 10000, 25000, 32000, 100000};
// Nearly two blocks for each multiprocessor of an H200: between few rows and many.
constexpr std::int64_t kTwoWavesRows = 256;
constexpr std::int64_t kTwoWavesCols[] = {1024, 30000};
constexpr std::int64_t kColsOfOneRow[] = {4096, 65536, 1 << 20, 1 << 24, 1 << 26};
constexpr int kBlockSizes[] = {32, 64, 128, 256, 512, 1024};
constexpr Sampling kSampling{.goal = 0.005,
                             .min_samples = 15,
                             .max_samples = 100,
                             .time_limit = std::chrono::milliseconds(100)};

struct Options {
  std::string out;
  std::string steps;
};

// Nothing if only help was asked for, which is printed.
std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app("Which block size is fastest for each step, variant and shape.", "worklog_sweep");
  app.add_option("--out", options.out, "where the JSON goes")->type_name("FILE")->required();
  app.add_option("--steps", options.steps,
                 "only steps and variants whose label contains TEXT, such as 06 or 07_topk")
      ->type_name("TEXT");
  if (!worklog::wants_help(app, argc, argv)) return options;
  std::cout << app.help();
  return std::nullopt;
}

// Times of all block sizes, by block size; a size that CUDA refuses has its error instead.
json sweep(const Measurement& measurement, Timer& timer) {
  const Step& step = *measurement.step;
  const int registered =
      step.info.block_size_for(measurement.rows, measurement.cols, size_of(measurement.dtype));
  std::set<int> sizes(std::begin(kBlockSizes), std::end(kBlockSizes));
  sizes.insert(registered);

  json times = json::object();
  int best = 0;
  double best_us = 0.0;
  StepWorkload workload(measurement);
  for (const int size : sizes) {
    try {
      const Timing timing = timer.cold(workload.launches(size), kSampling);
      times[std::to_string(size)] = {{"median_us", timing.median_us}, {"spread", timing.spread}};
      if (best != 0 && timing.median_us >= best_us) continue;
      best = size;
      best_us = timing.median_us;
    } catch (const std::exception& error) {
      times[std::to_string(size)] = {{"error", error.what()}};
    }
  }
  return {{"step", step.name},
          {"variant", step.variant},
          {"dtype", worklog::name_of(measurement.dtype)},
          {"rows", measurement.rows},
          {"cols", measurement.cols},
          {"k", measurement.k},
          {"cache", "cold"},
          {"block_sizes", times},
          {"best", best},
          {"registered", registered}};
}

// fp32 decides. fp16 shows whether the same choice suits it, where a block shares a row.
bool is_swept(const Step& step, DType dtype) {
  if (dtype == DType::kFloat32) return true;
  return step.variant.empty() && step.info.summation == worklog::Summation::kTree;
}

std::vector<Measurement> all_measurements(const std::string& steps) {
  std::vector<Measurement> list;
  const auto add = [&](const Step& step, DType dtype, std::int64_t rows, std::int64_t cols) {
    if (step.label().find(steps) == std::string::npos) return;
    if (!step.info.takes_shape(rows, cols, worklog::size_of(dtype))) return;
    const int k = step.is_top_k() ? worklog::bench::kUsualK : 0;
    list.push_back({Subject::kStep, &step, dtype, rows, cols, k});
  };
  const auto add_shape = [&](DType dtype, std::int64_t rows, std::int64_t cols) {
    for (const Step& step : worklog::all_steps()) {
      const bool shares_a_row = step.takes_one_row() || step.info.several_blocks_a_row;
      if (is_swept(step, dtype) && (rows > 1 || shares_a_row)) add(step, dtype, rows, cols);
    }
  };
  for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
    for (const std::int64_t rows : kRows) {
      for (const std::int64_t cols : kCols)
        add_shape(dtype, rows, cols);
    }
    for (const std::int64_t cols : kTwoWavesCols)
      add_shape(dtype, kTwoWavesRows, cols);
    for (const std::int64_t cols : kColsOfOneRow)
      add_shape(dtype, 1, cols);
  }
  for (const worklog::bench::Shape& shape : worklog::bench::shapes_that_pay_once()) {
    for (const Step& step : worklog::all_steps()) {
      if (step.reads_once()) add(step, shape.dtype, shape.rows, shape.cols);
    }
  }
  for (const worklog::bench::Shape& shape : worklog::bench::shapes_that_train()) {
    for (const Step& step : worklog::all_steps()) {
      if (step.trains()) add(step, shape.dtype, shape.rows, shape.cols);
    }
  }
  if (list.empty()) throw std::invalid_argument("--steps " + steps + ": no such step");
  return list;
}

void sweep_all(const Options& options) {
  const worklog::Device device = worklog::current_device();
  const std::vector<Measurement> measurements = all_measurements(options.steps);
  Timer timer;
  json results = json::array();
  for (const Measurement& measurement : measurements) {
    std::cerr << "[" << results.size() + 1 << "/" << measurements.size() << "] "
              << measurement.name() << std::flush;
    results.push_back(sweep(measurement, timer));
    std::cerr << ": " << results.back()["best"] << " threads\n";
  }
  const json document = {{"context",
                          {{"gpu", device.name},
                           {"sm_count", device.sm_count},
                           {"l2_bytes", device.l2_bytes},
                           {"cuda_driver", device.driver_version},
                           {"cuda_runtime", device.runtime_version},
                           {"nvcc", WORKLOG_NVCC_VERSION}}},
                         {"sweep", results}};
  worklog::write_whole(options.out, document.dump(1) + '\n');
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::optional<Options> options = parse(argc, argv);
    if (options) sweep_all(*options);
    return 0;
  } catch (const worklog::UsageError& error) {
    std::cerr << "worklog_sweep: " << error.what() << "\nsee worklog_sweep --help\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "worklog_sweep: " << error.what() << '\n';
    return 1;
  }
}
