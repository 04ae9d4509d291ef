/// \file
/// The OS threads that run blocks. They are started when first needed and sleep between launches.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "common/simt/executor/worker.h"

namespace simt {

class WorkerPool {
 public:
  /// Runs the launch on the calling thread and `workers` - 1 others; returns the sum of what they
  /// counted.
  Tally run(Launch& launch, int workers);

 private:
  void sleep_and_help(Worker& worker, int number);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< the first belongs to whoever launches
  Launch* launch_ = nullptr;
  std::uint64_t launches_ = 0;
  int taking_part_ = 0;
  int busy_ = 0;
};

}  // namespace simt
