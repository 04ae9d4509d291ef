/// \file
/// Command lines of programs, read by CLI11.
#pragma once

#include <stdexcept>
#include <string>

namespace CLI {
class App;
}

namespace worklog {

/// The command line is wrong. what() names the option, its value and what it may be.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Reads the arguments into the variables that `app`'s options are bound to. An option that is
/// given twice has its last value, and a flag takes none. Returns whether help was asked for
/// instead. Throws UsageError.
bool wants_help(CLI::App& app, int argc, const char* const* argv);

/// The environment variable that says what the user typed, where that was another command, such as
/// "./worklog step 01".
inline constexpr char kCalledAs[] = "WORKLOG_CALLED_AS";

/// What the user calls the program that was started as `path`.
std::string called_as(const char* path);

}  // namespace worklog
