// worklog_executor_speed: what counting and checking cost on the CPU executor.
//
// One softmax of step 05, 64 x 4096 fp32 with blocks of 256 threads, three ways: neither counted
// nor checked, counted, and both; and for comparison the same arithmetic in a plain loop on one
// core, which is what the processor can do. The figures are of this machine's processor and of the
// executor alone; they say nothing about a GPU.

#include <cuda_runtime.h>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/step/problem_buffers.h"
#include "common/step/run.h"
#include "common/step/step.h"
#include "simt/executor/counters.h"

namespace {

using worklog::Step;

constexpr char kStep[] = "05_warp_shuffle";
constexpr std::int64_t kRows = 64;
constexpr std::int64_t kCols = 4096;
constexpr int kBlockSize = 256;

const Step& find_step() {
  for (const Step& step : worklog::all_steps()) {
    if (step.label() == kStep) return step;
  }
  throw std::runtime_error(std::string("there is no step ") + kStep);
}

std::vector<float> ramp() {
  std::vector<float> logits(kRows * kCols);
  for (std::size_t i = 0; i < logits.size(); ++i)
    logits[i] = static_cast<float>(i % 1009) / 128.0f;
  return logits;
}

void softmax(benchmark::State& state, bool counting, bool checking) {
  const Step& step = find_step();
  auto buffers = worklog::problem_buffers<float>(step, kRows, kCols);
  buffers.logits.upload(ramp());
  const auto problem = buffers.problem(kBlockSize);
  simt::set_counting(counting);
  simt::set_checking(checking);
  for ([[maybe_unused]] auto _ : state)
    worklog::run(step, problem, nullptr);
  state.SetItemsProcessed(state.iterations() * kRows * kCols);
}

void combine(float& m, float& d, float x) {
  const float larger = std::max(m, x);
  d = d * std::exp(m - larger) + std::exp(x - larger);
  m = larger;
}

void plain_loop(benchmark::State& state) {
  const std::vector<float> logits = ramp();
  std::vector<float> probabilities(logits.size());
  for ([[maybe_unused]] auto _ : state) {
    for (std::int64_t row = 0; row < kRows; ++row) {
      const float* x = logits.data() + row * kCols;
      float* y = probabilities.data() + row * kCols;
      float m = -std::numeric_limits<float>::infinity();
      float d = 0.0f;
      for (std::int64_t col = 0; col < kCols; ++col)
        combine(m, d, x[col]);
      for (std::int64_t col = 0; col < kCols; ++col)
        y[col] = std::exp(x[col] - m) / d;
    }
    benchmark::DoNotOptimize(probabilities.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kRows * kCols);
}

BENCHMARK(plain_loop)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(softmax, neither, false, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(softmax, counted, true, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(softmax, counted_and_checked, true, true)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
