/// \file
/// Runs a step on a case, verifies it, and counts where that is possible.
#pragma once

#include <string>

#include "common/measure/record.h"
#include "common/verify/verify.h"

namespace worklog {

/// "cpu" for the executor, else the GPU's name. Throws CudaError if there is no device.
std::string machine_name();

/// Runs `step` once on the case; throws as verify does.
Record measure(const Step& step, const Case& a_case, const VerifyOptions& options = {});

}  // namespace worklog
