/// \file
/// The command line of a program of many ranks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/program/command_line.h"
#include "common/ranks/rank_case.h"
#include "common/ranks/run_case.h"

namespace worklog {

/// What the command line asks for; what it leaves open is not set.
struct RankOptions {
  bool help = false;                           ///< print the usage and nothing else
  bool all = false;                            ///< every case in the table
  bool counters = false;                       ///< print what one case counts
  bool beyond = false;                         ///< logits beyond what a variant says that it takes
  int ranks = 0;                               ///< 0: 4 on the executor, else one for each GPU
  std::optional<std::string> variant;          ///< "" is the step itself
  std::optional<SliceResult> result;           ///< all unless set
  std::optional<DType> dtype;                  ///< all unless set
  std::optional<std::int64_t> rows;            ///< of one case
  std::optional<std::int64_t> cols;            ///< of one case: of the joined row
  std::optional<Split> split;                  ///< of one case
  std::optional<Input> input;                  ///< of one case
  int block_size = 0;                          ///< threads a block; 0: each kernel's own choice
  std::optional<std::filesystem::path> times;  ///< the file to write times to
  RunOptions run{};                            ///< limits and faults

  /// Whether one case was asked for, not a choice of cases.
  bool names_a_case() const { return rows || cols || split || input; }
};

/// Throws UsageError.
RankOptions parse_rank_options(int argc, const char* const* argv);

/// What --help prints.
std::string rank_usage(const std::string& program);

/// What the options choose of the program's kernels, results, types, shapes and splits. Throws
/// UsageError if there is no such variant.
std::vector<RankCase> chosen_cases(const RankOptions& options);

}  // namespace worklog
