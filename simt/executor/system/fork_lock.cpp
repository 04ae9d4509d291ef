#include "simt/executor/system/fork_lock.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

namespace simt {
namespace {

constexpr std::chrono::microseconds kPause{100};

struct Registry {
  std::mutex mutex;
  std::vector<HeldDuringFork*> locks;
};

Registry& registry();

// Threads take the locks in orders of their own, so whoever wants them all must not wait for one
// while it has another.
bool hold_all() {
  Registry& all = registry();
  all.mutex.lock();
  const auto end = all.locks.end();
  const auto taken =
      std::find_if_not(all.locks.begin(), end, [](auto* lock) { return lock->hold(); });
  if (taken == end) return true;
  std::for_each(all.locks.begin(), taken, [](auto* lock) { lock->release(); });
  all.mutex.unlock();
  return false;
}

void hold_for_fork() {
  while (!hold_all())
    std::this_thread::sleep_for(kPause);
}

void release_in_parent() {
  for (HeldDuringFork* lock : registry().locks)
    lock->release();
  registry().mutex.unlock();
}

void renew_in_child() {
  for (HeldDuringFork* lock : registry().locks)
    lock->renew();
  new (&registry().mutex) std::mutex;
}

// Never destroyed: locks of static objects leave it at the very end.
Registry& registry() {
  static Registry& instance = []() -> Registry& {
    pthread_atfork(hold_for_fork, release_in_parent, renew_in_child);
    return *new Registry;
  }();
  return instance;
}

// When the program is loaded, not with the first lock: what was added last runs first before the
// copy. So a handler that others add later may wait for the end of a launch: nothing is held yet.
[[maybe_unused]] const Registry& added_at_once = registry();

}  // namespace

int after_fork_in_copy(void (*handler)()) {
  registry();  // adds its handlers, unless that has happened
  return pthread_atfork(nullptr, nullptr, handler);
}

HeldDuringFork::HeldDuringFork() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.locks.push_back(this);
}

HeldDuringFork::~HeldDuringFork() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.locks.erase(std::find(all.locks.begin(), all.locks.end(), this));
}

}  // namespace simt
