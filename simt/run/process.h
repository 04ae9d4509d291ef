/// \file
/// Other programs: a compiler to wait for, and the program to watch.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace simt::run {

using Command = std::vector<std::string>;  ///< a program and its arguments

/// What became of a program that was waited for.
struct Outcome {
  bool succeeded;    ///< whether it ended with 0
  std::string said;  ///< what it wrote to its standard error
};

/// Runs all of them, `jobs` at a time. Throws std::runtime_error when one cannot be started.
std::vector<Outcome> run_all(const std::vector<Command>& commands, unsigned jobs);

/// How a program ended.
struct Ending {
  int exit_code = 0;       ///< 128 more than the signal, if one ended it
  int signal = 0;          ///< 0 if none did
  bool timed_out = false;  ///< whether it was ended because its time was up
};

/// Runs a program with additions to its environment, and ends it after `seconds` (0: never).
/// Interrupts from the keyboard reach the program alone.
Ending watch(const Command& command, const std::map<std::string, std::string>& environment,
             unsigned seconds);

}  // namespace simt::run
