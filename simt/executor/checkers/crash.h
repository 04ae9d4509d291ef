/// \file
/// What becomes of a kernel that faults: the launch ends with the error that a device would give,
/// and a finding names the thread and its line. A debugger sees the fault first.
#pragma once

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

/// Gives the calling OS thread, which will run kernels, a stack for the handlers.
void prepare_for_crashes();

/// Reports the worker's crash and forgets it.
void report_crash(Worker& worker);

}  // namespace simt
