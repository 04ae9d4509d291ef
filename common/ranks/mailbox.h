/// \file
/// The mailboxes of the ranks of one process: device memory that all of them reach.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/cuda/device_buffer.h"
#include "common/ranks/group.h"
#include "common/ranks/slice.h"

namespace worklog {

/// This rank's mailbox, and the way to all others'.
class Mailbox {
 public:
  /// Of parts of `words` words, all empty. Every rank makes its own at the same time; throws
  /// RankError that names those which did not come, and CudaError where this device cannot reach
  /// another's memory. Nobody may send anything once a rank has begun to destroy its own.
  Mailbox(Group& group, std::int64_t words, long long patience, std::chrono::milliseconds limit);

  /// For the next launch.
  Mailboxes next();

  /// The rank that a kernel has waited for in vain, or -1. Waits for the device.
  int missing() const;

  /// The words that are there: after a launch those of its own part alone, since the launches
  /// before it have emptied theirs. Waits for the device.
  std::int64_t words_there() const;

 private:
  DeviceBuffer<unsigned long long> own_;
  DeviceBuffer<unsigned long long*> of_ranks_;
  DeviceBuffer<int> missing_;
  std::int64_t words_;
  std::int64_t launches_ = 0;
  long long patience_;
};

}  // namespace worklog
