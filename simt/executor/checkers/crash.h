/// \file
/// What becomes of a kernel that faults: the launch ends with the error that a device would give,
/// and a finding names the thread and its line. A debugger sees the fault first.
#pragma once

#include <csignal>
#include <cstdint>

namespace simt {

struct Lane;
struct Worker;

/// A fault of a running lane, as its signal told.
struct Crash {
  Lane* lane = nullptr;             ///< null when there was none
  int signal = 0;                   ///< its number, such as SIGSEGV
  std::uintptr_t address = 0;       ///< that was accessed
  std::uintptr_t code_address = 0;  ///< of the instruction
};

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
