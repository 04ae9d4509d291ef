/// \file
/// Locks that are free in a process that fork() copied. Without them the copy would wait for ever
/// for a thread that it does not have.
#pragma once

#include <new>

namespace simt {

/// Has the handler called in each copy of the process, whose locks are free by then. Returns 0, or
/// an error of errno.h.
int after_fork_in_copy(void (*handler)());

/// A lock that fork() takes before it copies the process: what the lock guards is whole in the
/// copy.
class HeldDuringFork {
 public:
  HeldDuringFork(const HeldDuringFork&) = delete;
  HeldDuringFork& operator=(const HeldDuringFork&) = delete;

  /// False where another thread has it.
  virtual bool hold() = 0;
  /// Ends that in the process that was copied, or where not all could be held.
  virtual void release() = 0;
  /// Ends that in the copy, whose one thread the lock does not know.
  virtual void renew() = 0;

 protected:
  HeldDuringFork();
  ~HeldDuringFork();
};

/// A mutex of the standard library that is one, for whatever outlives a launch.
template <typename Mutex>
class ForkLock final : public Mutex, private HeldDuringFork {
  bool hold() override { return Mutex::try_lock(); }
  void release() override { Mutex::unlock(); }
  void renew() override { new (static_cast<Mutex*>(this)) Mutex; }
};

}  // namespace simt
