/// \file
/// Judges an exercise: right on every case, and no counter above the solution's.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "common/harness/case.h"
#include "common/step/step.h"

namespace worklog {

/// What an exercise must reach: steps/NN_slug/exercise/check.json.
///
///     {"rows": 64, "cols": 4096, "counters": ["loads_per_element", "block_barriers"]}
///
/// and "k" for a top-k. There are no numbers to reach in it: those are counted of the solution.
struct Demands {
  Case a_case;  ///< on which counters are compared
  /// Names from docs/pages/counters.md, or loads_per_element, stores_per_element,
  /// sectors_per_load_request.
  std::vector<std::string> counters;
};

/// Throws std::runtime_error that names the file and what is wrong with it.
Demands read_demands(const std::filesystem::path& file);

/// Verifies `exercise` on many small cases, and compares its counters with those of `solution` on
/// the demanded one. Prints what it finds; the first case that is wrong ends the verification.
/// Returns whether all is right and all reached. Throws std::runtime_error if the demands name a
/// counter that there is not.
bool check_exercise(std::ostream& out, const Step& exercise, const Step& solution,
                    const Demands& demands);

}  // namespace worklog
