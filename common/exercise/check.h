/// \file
/// Judges an exercise: right on every case, and no counter above the solution's.
#pragma once

#include <ostream>
#include <string>

#include "common/exercise/check_result.h"
#include "common/exercise/registry.h"
#include "common/exercise/watched.h"

namespace worklog {

/// Verifies `exercise` on many small cases, and compares its counters with those of `solution`,
/// which says which ones and on which shape. Prints what it finds, and notes in `progress` which
/// case it is at; the first case that is wrong ends the verification. Throws std::runtime_error if
/// the solution names a counter that there is not.
CheckResult check_exercise(std::ostream& out, const Exercise& exercise, const Exercise& solution,
                           Progress& progress);

/// The same of a check whose process ended in the case that `progress` is at, as `ending` says:
/// nothing was counted then.
CheckResult result_of_ended(const Exercise& exercise, const Exercise& solution,
                            const Progress& progress, const std::string& ending);

}  // namespace worklog
