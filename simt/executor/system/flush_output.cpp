#include "simt/executor/system/flush_output.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

namespace simt {
namespace {

constexpr std::chrono::seconds kLongestWait{1};

/// Shared by the thread that flushes and the one that waits for it, whichever lasts longer.
struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};

}  // namespace

void flush_output() {
  const auto progress = std::make_shared<Progress>();
  std::thread([progress] {
    std::fflush(stdout);
    std::cout.flush();
    std::fflush(nullptr);  // last, because it waits for files that are being read, too
    const std::lock_guard lock(progress->mutex);
    progress->done = true;
    progress->changed.notify_all();
  }).detach();
  std::unique_lock lock(progress->mutex);
  progress->changed.wait_for(lock, kLongestWait, [&] { return progress->done; });
}

void flush_output_of_crash() {
  if (ftrylockfile(stdout) != 0) return;
  std::fflush(stdout);
  std::cout.flush();
  std::fflush(stdout);
  funlockfile(stdout);
}

}  // namespace simt
