/// \file
/// A communicator of NCCL that nobody waits for without end.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <nccl.h>
#include <string>

#include "common/cuda/stream.h"
#include "common/ranks/check_nccl.h"
#include "common/ranks/group.h"
#include "common/ranks/meeting.h"

namespace worklog {

/// The communicator of all ranks of a group, on the current device.
class Communicator {
 public:
  /// Waits for all ranks first, until `limit` ends: NCCL would wait for ever. Throws RankError that
  /// names those which did not come, and NcclError.
  Communicator(Group& group, std::chrono::milliseconds limit);
  /// Ends it in order, which waits for all ranks; gives it up where an exception has ended its use.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// What NCCL takes; null once it was aborted.
  ncclComm_t get() const {
    const std::lock_guard lock(mutex_);
    return communicator_;
  }

  /// Gives up all that is under way, in any thread: calls and kernels of NCCL end at once. Not to
  /// be used any more after that.
  void abort();

  /// Calls `work`, which gives work to `stream`, and waits for that. Throws RankError that names
  /// `what` if it takes longer than `limit`, and whatever else went wrong. What `stream` was to
  /// write is then not a result. A std::invalid_argument of `work` passes and harms nothing: all
  /// ranks refuse a shape before they begin. `give_up` ends what abort() does not, in another
  /// thread.
  void finish_in_time(
      const std::string& what, const Stream& stream, std::chrono::milliseconds limit,
      const std::function<void()>& work, const std::function<void()>& give_up = [] {});

 private:
  void wait_for(const Stream& stream);
  void check_communicator();

  ncclComm_t communicator_ = nullptr;
  mutable std::mutex mutex_;  // nobody asks a communicator that is gone
  std::atomic<bool> is_aborted_ = false;
  int exceptions_ = std::uncaught_exceptions();  // at the beginning
};

}  // namespace worklog
