/// \file
/// Runs a check in a process of its own, so that it has a verdict whatever a learner's code does.
#pragma once

#include <array>
#include <functional>
#include <ostream>
#include <string>

namespace worklog {

/// What a check tells the process that watches it; both have it in memory.
struct Progress {
  std::array<char, 160> at = {};  ///< the case that it is at, such as "9 x 333, random"
  unsigned seconds = 0;           ///< that the case may take; 0: any
  bool has_verdict = false;       ///< its last line is printed

  /// Notes that a case begins. The process is ended if it is still at it after `limit` seconds.
  void begin(const std::string& a_case, unsigned limit);
};

/// Runs `check` in a child process, which prints to `out` and returns whether all is well. If the
/// child ends without a verdict, because its code crashed or never ends, the verdict is printed
/// here, with the case in which that happened. Returns whether all is well. Throws
/// std::system_error if there can be no other process.
bool run_watched(std::ostream& out, const std::function<bool(Progress&)>& check);

}  // namespace worklog
