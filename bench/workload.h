/// \file
/// The arrays in device memory that a measurement works on, and its work.
#pragma once

#include <cstddef>
#include <variant>

#include "bench/clearing.h"
#include "bench/measurement.h"
#include "common/cuda/device_buffer.h"
#include "common/measure/timing.h"
#include "common/step/problem_buffers.h"

namespace worklog::bench {

/// A step, or another's implementation, on arrays of its own.
class StepWorkload {
 public:
  /// Makes the arrays that `measurement` needs: random numbers in those that are given, or its
  /// values in the logits, and results of undefined contents.
  /// Throws DoesNotFit (bench/times.h).
  explicit StepWorkload(const Measurement& measurement);

  /// The launches with `block_size` threads per block, or the step's own choice if 0. Valid while
  /// this lives.
  Work launches(int block_size = 0);

 private:
  const Step* step_;
  Reduction reduction_;
  Clearing clearing_;
  std::variant<ProblemBuffers<float>, ProblemBuffers<__half>, ProblemBuffers<__nv_bfloat16>>
      buffers_;
};

/// What a copy, a read or a combination works on.
struct TransferArrays {
  /// Throws as StepWorkload does.
  explicit TransferArrays(const Measurement& measurement);

  Clearing clearing;               ///< stands before what it waits for
  DeviceBuffer<std::byte> logits;  ///< random numbers
  DeviceBuffer<std::byte> others;  ///< of a combination the same again, else none
  DeviceBuffer<std::byte>
      results;  ///< of a copy or a combination as many bytes, of a read its sums
};

}  // namespace worklog::bench
