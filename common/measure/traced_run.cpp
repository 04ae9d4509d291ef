#include "common/measure/traced_run.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/cuda/check.h"
#include "common/cuda/device_buffer.h"
#include "common/measure/cases.h"
#include "common/step/run.h"
#include "common/verify/case_buffers.h"

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
std::vector<Given> all_given(const Step& step, const ProblemBuffers<T>& buffers) {
  const bool has_labels = step.takes<NegativeLogLikelihood>();
  return {given(buffers.logits, "logits"),
          given(buffers.labels, "labels"),
          given(buffers.columns, step.takes<LogSoftmax>() ? "log-probabilities" : "probabilities"),
          given(buffers.values, has_labels ? "losses" : "values"),
          given(buffers.indices, "indices"),
          given(buffers.scratch, "scratch")};
}

template <typename T>
TracedRun trace(const Step& step, const Case& a_case, int block_size,
                const simt::TraceLimits& limits) {
  ProblemBuffers<T> buffers = buffers_of<T>(step, a_case);
  TracedRun traced{
      .step = &step, .a_case = a_case, .block_size = block_size, .trace = {}, .names = {}};
  simt::start_trace(limits);
  try {
    run(step, buffers.problem(block_size), nullptr);
    check(cudaDeviceSynchronize(), step.label());
  } catch (...) {
    simt::stop_trace();
    throw;
  }
  traced.trace = simt::stop_trace();
  traced.names = names_of(traced.trace.arrays, all_given(step, buffers));
  return traced;
}

}  // namespace

Case small_case(const Step& step, DType dtype) {
  constexpr std::int64_t kRows = 32;
  constexpr std::int64_t kCols = 128;
  if (step.takes_one_row()) return {dtype, 1, kRows * kCols, 0, Input::kRandom};
  return {dtype, std::min(kRows, step.info.max_rows), kCols, default_k(step, kCols),
          Input::kRandom};
}

TracedRun traced_run(const Step& step, const Case& a_case, int block_size,
                     const simt::TraceLimits& limits) {
  return with_type(a_case.dtype,
                   [&]<typename T>(T) { return trace<T>(step, a_case, block_size, limits); });
}

}  // namespace worklog
