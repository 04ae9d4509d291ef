/// \file
/// Runs a check in a process of its own, so that it has a verdict whatever a learner's code does.
#pragma once

#include <array>
#include <cstddef>
#include <ctime>
#include <functional>
#include <ostream>
#include <string>

namespace worklog {

/// What a check tells the process that watches it; both have it in memory.
struct Progress {
  std::array<char, 160> at = {};  ///< the case that it is at, such as "9 x 333, random"
  std::size_t right = 0;          ///< cases so far that are right
  unsigned seconds = 0;           ///< that the case may take; 0: any
  std::time_t began = 0;          ///< when it began
  bool has_verdict = false;       ///< its last line is printed

  /// Notes that a case begins. The process is ended if it is still at it after `limit` seconds.
  void begin(const std::string& a_case, unsigned limit);
};

/// How a check came out.
struct Watched {
  bool ok = false;     ///< all is well
  Progress progress;   ///< how far it came
  std::string ending;  ///< of a process that ended without a verdict, such as "Aborted"; else ""
  std::string result;  ///< what the check returned; "" without a verdict
};

/// What a check tells once it has its verdict.
struct WatchedVerdict {
  bool ok = false;     ///< all is well
  std::string result;  ///< to be handed on to the process that watches
};

/// Runs `check` in a child process, which prints to `out`. If the child ends without a verdict,
/// because its code crashed or never ends, the verdict is printed here, with the case in which that
/// happened. Of a case that takes more than two seconds a line on standard error says until when
/// it may. Throws std::system_error if there can be no other process.
Watched run_watched(std::ostream& out, const std::function<WatchedVerdict(Progress&)>& check);

}  // namespace worklog
