/// \file
/// The command line of a step's program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/harness/case.h"
#include "common/step/step.h"

namespace worklog {

/// The command line is wrong. what() names the option, its value and what it may be.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct Options {
  bool help = false;
  bool list = false;
  bool all = false;  ///< every case in the table, not one for each kernel and type
  bool counters = false;
  bool access = false;
  std::optional<std::filesystem::path> records;
  std::optional<std::filesystem::path> annotations;

  std::optional<std::string> variant;  ///< "" is the ladder's own kernel
  std::optional<DType> dtype;
  std::optional<std::int64_t> rows;
  std::optional<std::int64_t> cols;
  std::optional<int> k;
  std::optional<Input> input;
  int block_size = 0;
  std::uint64_t seed = 0;
  bool in_place = false;
  bool no_times = false;  ///< also on a GPU: under compute-sanitizer a time means nothing

  /// Whether one case was asked for, not a choice of cases.
  bool names_a_case() const { return rows || cols || k || input; }
};

/// Throws UsageError.
Options parse_options(int argc, const char* const* argv);

/// What --help prints.
std::string usage(const std::string& program);

/// The steps and variants of this program that the options choose. Throws UsageError if there is no
/// such variant.
std::vector<const Step*> chosen_steps(const Options& options);

/// The types that the options choose.
std::vector<DType> chosen_types(const Options& options);

/// The one case that the options name, with what they leave open filled in. Throws UsageError.
Case chosen_case(const Options& options, const Step& step, DType dtype);

}  // namespace worklog
