/// \file
/// The OS threads that run blocks. They are started when first needed and sleep between launches.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "simt/executor/system/fork_lock.h"
#include "simt/executor/worker/worker.h"

namespace simt {

/// All workers of a device; one launch at a time.
class WorkerPool {
 public:
  /// Runs the launch on the calling thread and up to `workers` - 1 others; returns what they
  /// counted. Others join when they wake up; the launch does not wait for one that comes too late
  /// to help. Throws what any of them throws, which is std::bad_alloc, when all have ended.
  const Tally& run(Launch& launch, int workers);

  using Clock = std::chrono::steady_clock;  ///< by which blocks wait
  /// A worker's blocks have waited in a loop since then, and perhaps for blocks of the same launch
  /// that no worker has taken: on a device they would be resident, too. So more workers join it, up
  /// to one for each multiprocessor. Each time takes twice as long as the time before, because the
  /// blocks may wait for another device instead.
  void help_waiting_blocks(Launch& launch, Clock::time_point since);

  /// In a copy of the process, which has none of the other threads.
  void forget_helpers();

 private:
  void sleep_and_help(Worker& worker);
  void take_part_or_fail(Worker& worker, Launch& launch);
  void add_places(int count);

  std::unique_ptr<Worker> own_;  ///< of whoever launches
  ForkLock<std::mutex> mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::unique_ptr<Worker>> helpers_;
  Launch* launch_ = nullptr;  ///< null when none may be joined
  std::uint64_t launches_ = 0;
  int places_ = 0;  ///< for helpers that have not joined
  int helping_ = 0;
  Clock::duration patience_ = {};  ///< before more workers join the launch
  std::exception_ptr failure_;     ///< of the launch
  Tally sum_;
};

}  // namespace simt
