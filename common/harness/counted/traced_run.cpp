#include "common/harness/counted/traced_run.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "common/cuda/check.h"
#include "common/cuda/device_buffer.h"
#include "common/harness/report_cases.h"
#include "common/step/run.h"
#include "common/verify/inputs.h"
#include "common/verify/labels.h"

namespace worklog {

namespace {

// An array that a step was given.
struct Given {
  const void* begin;
  std::size_t bytes;
  const char* name;
};

template <typename T>
Given given(const DeviceBuffer<T>& buffer, const char* name) {
  return {buffer.data(), buffer.bytes(), name};
}

bool contains(const Given& given, const simt::TracedArray& array) {
  const auto begin = static_cast<const std::byte*>(given.begin);
  const auto at = static_cast<const std::byte*>(array.begin);
  return begin <= at && at < begin + given.bytes;
}

// A step may cut its scratch into several arrays: they are numbered.
std::vector<std::string> names_of(const std::vector<simt::TracedArray>& arrays,
                                  const std::vector<Given>& all) {
  std::vector<std::string> names(arrays.size(), "other");
  for (const Given& given : all) {
    const auto parts = std::count_if(arrays.begin(), arrays.end(),
                                     [&](const auto& array) { return contains(given, array); });
    int part = 0;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (!contains(given, arrays[i])) continue;
      names[i] = given.name;
      if (parts > 1) names[i] += " " + std::to_string(++part);
    }
  }
  return names;
}

template <typename T>
std::vector<T> logits_of(const Case& a_case) {
  const RowSource source =
      make_rows(a_case.input, a_case.dtype, a_case.rows, a_case.cols, /*seed=*/0);
  std::vector<T> logits;
  std::vector<float> row(static_cast<std::size_t>(a_case.cols));
  for (std::int64_t r = 0; r < a_case.rows; ++r) {
    source(r, row);
    std::transform(row.begin(), row.end(), std::back_inserter(logits),
                   [](float x) { return static_cast<T>(x); });
  }
  return logits;
}

template <typename T>
class Tracer {
 public:
  Tracer(const Step& step, const Case& a_case, int block_size)
      : step_(step),
        case_(a_case),
        block_size_(block_size),
        logits_(logits_of<T>(a_case)),
        scratch_(scratch_bytes(step, a_case.rows, a_case.cols, a_case.dtype)) {}

  TracedRun trace(const simt::TraceLimits& limits) {
    const bool has_labels = step_.takes<NegativeLogLikelihood>();
    const std::int64_t listed = case_.rows * case_.k;
    DeviceBuffer<std::int64_t> labels(labels_of(has_labels ? case_.rows : 0, case_.cols));
    DeviceBuffer<T> columns(step_.keeps_columns() ? logits_.size() : 0);
    DeviceBuffer<float> values(has_labels ? case_.rows : listed);
    DeviceBuffer<std::int64_t> indices(listed);
    const AnyProblem<T> problem{.logits = logits_.data(),
                                .labels = labels.data(),
                                .columns = columns.data(),
                                .values = values.data(),
                                .indices = indices.data(),
                                .rows = case_.rows,
                                .cols = case_.cols,
                                .k = case_.k,
                                .block_size = block_size_,
                                .scratch = Scratch(scratch_.data(), scratch_.size())};
    return trace_problem(
        problem, limits,
        {given(logits_, "logits"), given(labels, "labels"),
         given(columns, step_.takes<LogSoftmax>() ? "log-probabilities" : "probabilities"),
         given(values, has_labels ? "losses" : "values"), given(indices, "indices"),
         given(scratch_, "scratch")});
  }

 private:
  TracedRun trace_problem(const AnyProblem<T>& problem, const simt::TraceLimits& limits,
                          const std::vector<Given>& all) {
    simt::start_trace(limits);
    TracedRun run{
        .step = &step_, .a_case = case_, .block_size = block_size_, .trace = {}, .names = {}};
    try {
      worklog::run(step_, problem, nullptr);
      check(cudaDeviceSynchronize(), step_.label());
    } catch (...) {
      simt::stop_trace();
      throw;
    }
    run.trace = simt::stop_trace();
    run.names = names_of(run.trace.arrays, all);
    return run;
  }

  const Step& step_;
  const Case& case_;
  int block_size_;
  DeviceBuffer<T> logits_;
  DeviceBuffer<std::byte> scratch_;
};

}  // namespace

Case small_case(const Step& step, DType dtype) {
  constexpr std::int64_t kRows = 32;
  constexpr std::int64_t kCols = 128;
  if (step.takes_one_row()) return {dtype, 1, kRows * kCols, 0, Input::kRandom};
  return {dtype, kRows, kCols, default_k(step, kCols), Input::kRandom};
}

TracedRun traced_run(const Step& step, const Case& a_case, int block_size,
                     const simt::TraceLimits& limits) {
  return with_type(a_case.dtype, [&]<typename T>(T) {
    return Tracer<T>(step, a_case, block_size).trace(limits);
  });
}

}  // namespace worklog
