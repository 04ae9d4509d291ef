/// \file
/// Takes the times of measurements. Two implementations: one for a GPU, and one for the CPU
/// executor that refuses, because its times would mean nothing.
#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/measurement.h"
#include "common/measure/timing_summary.h"

namespace worklog::bench {

/// The arrays of a measurement do not fit the device. what() names the bytes needed and available.
class DoesNotFit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A library does not do what was asked of it. what() names the shape and the library's reason.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Result {
  Timing timing;
  int block_size = 0;       ///< of a step: threads per block
  std::string fastest;      ///< of a transfer: which of the several kernels it was
  double ceiling_us = 0.0;  ///< the transfer that is the measurement's ceiling, if it has one
};

/// Times measurements one after the other, the same transfer only once.
class Times {
 public:
  virtual ~Times() = default;

  /// What a reader of the times must know of the machine: pairs of a name and a value.
  virtual std::vector<std::pair<std::string, std::string>> machine() const = 0;

  /// Throws DoesNotFit, Refused, or CudaError when a kernel fails.
  virtual Result time(const Measurement& measurement) = 0;

  /// The same of a few samples: enough to tell what is much slower than something else.
  virtual Result quick_look(const Measurement& measurement) = 0;
};

/// How long one measurement is sampled at most, once it has the fewest samples.
using TimeLimit = std::chrono::duration<double>;
inline constexpr TimeLimit kUsualTimeLimit{0.2};

/// For the current GPU. Throws std::runtime_error where there is none.
std::unique_ptr<Times> make_times(TimeLimit limit = kUsualTimeLimit);

}  // namespace worklog::bench
