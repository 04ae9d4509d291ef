#include "common/harness/step_times.h"

#ifndef WORKLOG_SIMT
#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/harness/timing.h"
#include "common/step/run.h"
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
  const std::int64_t results = a_case.rows * a_case.k;
  const DeviceBuffer<T> logits = logits_of<T>(a_case);
  DeviceBuffer<T> probabilities(step.is_top_k() ? 0 : logits.size());
  DeviceBuffer<float> values(results);
  DeviceBuffer<std::int64_t> indices(results);
  const std::int64_t bytes = scratch_bytes(step, a_case.rows, a_case.cols, a_case.dtype);
  DeviceBuffer<std::byte> memory(bytes);

  const Timing timing = timer.cold([&](cudaStream_t stream) {
    const Scratch scratch(memory.data(), bytes);
    if (step.is_top_k()) {
      run<T>(step,
             TopK<T>{logits.data(), values.data(), indices.data(), a_case.rows, a_case.cols,
                     a_case.k, block_size, scratch},
             stream);
    } else {
      run<T>(step,
             Softmax<T>{logits.data(), probabilities.data(), a_case.rows, a_case.cols, block_size,
                        scratch},
             stream);
    }
  });
  const auto must_move = static_cast<double>(logits.bytes() + probabilities.bytes() +
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
