/// \file
/// How long one step takes on one case, for its program's table.
#pragma once

#include "common/step/step.h"
#include "common/verify/case.h"

namespace worklog {

/// With a cold L2 cache. 0 where it was not measured: on the CPU executor, whose time says nothing.
struct StepTime {
  double median_us = 0.0;  ///< of one run of the step
  double gbps = 0.0;       ///< of the bytes that the operation must move
};

/// Times `step` on the case's shape; block_size 0 is the step's own choice.
StepTime time_step(const Step& step, const Case& a_case, int block_size);

}  // namespace worklog
