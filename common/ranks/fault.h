/// \file
/// What can go wrong in one rank, to see what the others say of it.
#pragma once

#include <string_view>

namespace worklog {

/// What a rank does wrong.
enum class Fault {
  kNone,      ///< nothing
  kAbsent,    ///< does not come to the beginning
  kLeaves,    ///< stops before the launch, without a word
  kKilled,    ///< its process is killed there; only where each rank is a process
  kRows,      ///< has a row more than the others
  kType,      ///< has another storage type
  kWidest,    ///< takes another slice for the widest
  kBlocks,    ///< has blocks of another size
  kAborts,    ///< gives its communicator up before the launch
  kPrepares,  ///< fails while it prepares, when all have agreed
};

/// in the order in which `--help` names them
inline constexpr Fault kAllFaults[] = {
    Fault::kNone, Fault::kAbsent, Fault::kLeaves, Fault::kKilled, Fault::kRows,
    Fault::kType, Fault::kWidest, Fault::kBlocks, Fault::kAborts, Fault::kPrepares};

/// "none", "absent", "leaves", "killed", "rows", "type", "widest", "blocks", "aborts" or
/// "prepares".
constexpr std::string_view name_of(Fault fault) {
  constexpr std::string_view kNames[] = {"none", "absent", "leaves", "killed", "rows",
                                         "type", "widest", "blocks", "aborts", "prepares"};
  return kNames[static_cast<int>(fault)];
}

}  // namespace worklog
