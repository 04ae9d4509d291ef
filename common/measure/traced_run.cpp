#include "common/measure/traced_run.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/cuda/check.h"
#include "common/measure/array_names.h"
#include "common/measure/cases.h"
#include "common/step/run.h"
#include "common/verify/case_buffers.h"

namespace worklog {

namespace {

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
  traced.names = names_of(traced.trace.arrays, arrays_given(step, buffers));
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
