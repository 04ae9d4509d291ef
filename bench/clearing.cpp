#include "bench/clearing.h"

#include <chrono>
#include <thread>

namespace worklog::bench {

namespace {

// As measured, and half as much again.
constexpr double kNanosecondsPerByte = 1.5 * 11e6 / (std::int64_t{4} << 30);

}  // namespace

Clearing::~Clearing() {
  const double nanoseconds = kNanosecondsPerByte * static_cast<double>(bytes_);
  std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds)));
}

}  // namespace worklog::bench
