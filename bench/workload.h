/// \file
/// The arrays in device memory that a measurement works on, and its work.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/measurement.h"
#include "common/cuda/device_buffer.h"
#include "common/cuda/stream.h"
#include "common/harness/timing.h"

namespace worklog::bench {

/// Device memory for one measurement after the other. The logits stay while type and shape do.
class Workload {
 public:
  /// Makes the arrays that `measurement` needs: random logits, and results of undefined contents.
  /// Throws DoesNotFit (bench/times.h).
  void prepare(const Measurement& measurement);

  /// The step's launches with `block_size` threads a block, or the step's own choice if 0. Valid
  /// until the next prepare().
  Work step(const Measurement& measurement, int block_size = 0);

  const std::byte* logits() const { return logits_.data(); }
  std::byte* results() { return results_.data(); }

 private:
  void prepare_logits(const Measurement& measurement);

  Stream stream_;
  DType dtype_ = DType::kFloat32;
  std::int64_t elements_ = -1;
  DeviceBuffer<std::byte> logits_;
  DeviceBuffer<std::byte> results_;
  DeviceBuffer<std::int64_t> indices_;
  DeviceBuffer<std::int64_t> labels_;
  DeviceBuffer<std::byte> scratch_;
};

}  // namespace worklog::bench
