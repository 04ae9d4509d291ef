/// \file
/// How a lane ends its launch in the middle of the kernel.
#pragma once

#include <string>

#include "simt/executor/findings/findings.h"

namespace simt {

struct Lane;

/// Called by a lane: ends the launch on this worker. The fibers of unfinished threads are
/// abandoned.
[[noreturn]] void abandon_launch(Lane& self);

/// Notes the finding and ends the launch with this error; does not return to the kernel.
[[noreturn]] void report_and_end_launch(const char* kind, const Place& place,
                                        const std::string& message, int error);

}  // namespace simt
