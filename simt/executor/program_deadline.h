/// \file
/// For programs that are to end by a certain time, whatever they do then.
#pragma once

#include <functional>

namespace simt {

/// Ends the program when `seconds` (more than 0) have passed from now. A kernel that runs then is
/// stopped with the finding `time-limit`, and host code gets one more second to say what it makes
/// of that; without a kernel the program ends at once. What it has printed is written out first;
/// then `at_end` is called in a thread of the executor, which shall not return to it: if it does,
/// the program exits with 1. Call it once.
void end_program_after(double seconds, std::function<void()> at_end);

}  // namespace simt
