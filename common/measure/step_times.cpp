#include "common/measure/step_times.h"

#ifndef SIMT_EXECUTOR
#include "common/measure/timing.h"
#include "common/step/run.h"
#include "common/verify/case_buffers.h"
#endif

namespace worklog {

#ifdef SIMT_EXECUTOR

StepTime time_step(const Step&, const Case&, int) {
  return {};
}

#else

namespace {

template <typename T>
StepTime time_as(const Step& step, const Case& a_case, int block_size) {
  static Timer timer;
  ProblemBuffers<T> buffers = buffers_of<T>(step, a_case);
  const AnyProblem<T> problem = buffers.problem(block_size);
  const Timing timing = timer.cold([&](cudaStream_t stream) { run(step, problem, stream); });

  const ArrayLengths lengths =
      array_lengths(step, a_case.rows, a_case.cols, a_case.k, a_case.dtype);
  const auto must_move = static_cast<double>(lengths.bytes_to_move(a_case.dtype));
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
