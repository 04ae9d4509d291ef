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
  /// another's memory. Nobody may send anything once a rank has begun to destroy its own: see
  /// leave_allocated().
  Mailbox(Group& group, std::int64_t words, long long patience, std::chrono::milliseconds limit);

  /// For the next launch.
  ///
  /// A launch that gave up leaves words behind that the launch after the next would take for its
  /// own. So kernels do not wait any more once one has given up, and this throws RankError once
  /// check_all_came() has found that out.
  Mailboxes next();

  /// Throws RankError that names the rank which a kernel has waited for in vain. Waits for the
  /// device.
  void check_all_came();

  /// Has kernels that wait do so no longer: they name whom they have waited for. For any thread;
  /// it waits for no kernel.
  void give_up();

  /// Leaves the memory allocated for good: others may still write to it, since not all have said
  /// that they are done.
  void leave_allocated();

  /// The words that are there: after a launch those of its own part alone, since the launches
  /// before it have emptied theirs. Waits for the device.
  std::int64_t words_there() const;

 private:
  void check_nobody_missing() const;

  DeviceBuffer<unsigned long long> own_;
  DeviceBuffer<unsigned long long*> of_ranks_;
  DeviceBuffer<int> missing_;
  std::int64_t words_;
  std::int64_t launches_ = 0;
  int known_missing_ = -1;
  int device_ = 0;
  long long patience_;
};

}  // namespace worklog
