/// \file
/// cuDNN's softmax as steps that no ladder has: timed, verified and named as the steps are.
#pragma once

#include <vector>

#include "common/step/step.h"

namespace worklog::bench {

/// "cudnn/softmax_accurate", "cudnn/softmax_fast" and "cudnn/log_softmax". They run as
/// cudnn_softmax (bench/cudnn_softmax.h) does, and throw what it throws. The block size is ignored:
/// it is cuDNN's own.
const std::vector<Step>& cudnn_steps();

}  // namespace worklog::bench
