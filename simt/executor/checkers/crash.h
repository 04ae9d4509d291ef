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

/// While this lives, the calling OS thread, which runs kernels, has a stack for the handlers. The
/// one that it had before is its own again afterwards: a sanitizer frees that when the thread ends.
class HandlerStack {
 public:
  HandlerStack();
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;
  ~HandlerStack();

 private:
  stack_t before_ = {};
};

/// Reports the worker's crash and forgets it.
void report_crash(Worker& worker);

}  // namespace simt
