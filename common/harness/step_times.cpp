#include "common/harness/step_times.h"

#ifndef WORKLOG_SIMT
#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/harness/timing.h"
#include "common/step/run.h"
#include "common/verify/labels.h"
#endif

namespace worklog {

#ifdef WORKLOG_SIMT

StepTime time_step(const Step&, const Case&, int) {
  return {};
}

#else

namespace {

template <typename T>
DeviceBuffer<T> logits_of(const Case& a_case) {
  const RowSource source = make_rows(a_case.input, a_case.dtype, a_case.rows, a_case.cols);
  std::vector<T> logits(static_cast<std::size_t>(a_case.rows * a_case.cols));
  std::vector<float> row(static_cast<std::size_t>(a_case.cols));
  for (std::int64_t r = 0; r < a_case.rows; ++r) {
    source(r, row);
    std::transform(row.begin(), row.end(), logits.begin() + r * a_case.cols,
                   [](float x) { return static_cast<T>(x); });
  }
  return DeviceBuffer<T>(logits);
}

template <typename T>
StepTime time_as(const Step& step, const Case& a_case, int block_size) {
  static Timer timer;
  const bool has_labels = step.takes<NegativeLogLikelihood>();
  const std::int64_t listed = a_case.rows * a_case.k;
  const DeviceBuffer<T> logits = logits_of<T>(a_case);
  const DeviceBuffer<std::int64_t> labels(labels_of(has_labels ? a_case.rows : 0, a_case.cols));
  DeviceBuffer<T> columns(step.keeps_columns() ? logits.size() : 0);
  DeviceBuffer<float> values(has_labels ? a_case.rows : listed);
  DeviceBuffer<std::int64_t> indices(listed);
  const std::int64_t bytes = scratch_bytes(step, a_case.rows, a_case.cols, a_case.dtype);
  DeviceBuffer<std::byte> memory(bytes);

  const Timing timing = timer.cold([&](cudaStream_t stream) {
    run(step,
        AnyProblem<T>{.logits = logits.data(),
                      .labels = labels.data(),
                      .columns = columns.data(),
                      .values = values.data(),
                      .indices = indices.data(),
                      .rows = a_case.rows,
                      .cols = a_case.cols,
                      .k = a_case.k,
                      .block_size = block_size,
                      .scratch = Scratch(memory.data(), bytes)},
        stream);
  });
  const auto must_move = static_cast<double>(logits.bytes() + labels.bytes() + columns.bytes() +
                                             values.bytes() + indices.bytes());
  constexpr double kBytesPerMicrosecond = 1e3;  // of one GB/s
  return {timing.median_us, must_move / timing.median_us / kBytesPerMicrosecond};
}

}  // namespace

StepTime time_step(const Step& step, const Case& a_case, int block_size) {
  if (a_case.rows == 0 || a_case.cols == 0) return {};
  return with_type(a_case.dtype,
                   [&]<typename T>(T) { return time_as<T>(step, a_case, block_size); });
}

#endif

}  // namespace worklog
