/// \file
/// The command line of a step's program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/program/command_line.h"
#include "common/step/step.h"
#include "common/verify/case.h"

namespace worklog {

/// What the command line asks for; what it leaves open is not set.
struct Options {
  bool help = false;      ///< print the usage and nothing else
  bool list = false;      ///< print the step and its variants and nothing else
  bool all = false;       ///< every case in the table, not one for each kernel and type
  bool counters = false;  ///< print the counters of one case
  bool access = false;    ///< print which lane touches what in one case
  std::optional<std::filesystem::path> records;      ///< the file to write records to
  std::optional<std::filesystem::path> annotations;  ///< the file to write counts by line to
  std::optional<std::filesystem::path> html;         ///< the file to write a player of warps to

  std::optional<std::string> variant;  ///< "" is the ladder's own kernel
  std::optional<DType> dtype;          ///< all types unless set
  std::optional<std::int64_t> rows;    ///< of one case
  std::optional<std::int64_t> cols;    ///< of one case
  std::optional<int> k;                ///< of one case of a top-k step
  std::optional<Input> input;          ///< of one case
  int block_size = 0;                  ///< threads per block; 0: the step's own choice
  std::uint64_t seed = 0;              ///< of the input
  bool in_place = false;               ///< the output is the input
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
