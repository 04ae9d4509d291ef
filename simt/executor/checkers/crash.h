/// \file
/// What becomes of a kernel that faults: the launch ends with the error that a device would give,
/// and a finding names the thread and its line. A debugger sees the fault first.
#pragma once

#include <csignal>

namespace simt {

struct Worker;

/// While this lives, the faults of kernels are caught. Those of host code stay as they are.
class CaughtCrashes {
 public:
  CaughtCrashes();
  CaughtCrashes(const CaughtCrashes&) = delete;
  CaughtCrashes& operator=(const CaughtCrashes&) = delete;
  ~CaughtCrashes();
};

/// While this lives, the calling OS thread, which runs kernels, has a stack for the handlers. It
/// may end after that.
class StackForCrashes {
 public:
  StackForCrashes();
  StackForCrashes(const StackForCrashes&) = delete;
  StackForCrashes& operator=(const StackForCrashes&) = delete;
  ~StackForCrashes();

 private:
  stack_t before_ = {};
};

/// Reports the worker's crash and forgets it.
void report_crash(Worker& worker);

}  // namespace simt
