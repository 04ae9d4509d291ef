/// \file
/// The library's functions as steps that no ladder has: timed, verified and named as the steps are.
#pragma once

#include <vector>

#include "common/step/step.h"
#include "library/include/softmax_worklog/c.h"

namespace worklog::bench {

/// How many of the largest the library is asked for: what sampling wants.
inline constexpr int kSampledK = 50;
/// The experts that a router sends a token to.
inline constexpr int kRoutedK = 8;

/// "library/softmax" and so on, of the operations that the library is timed with. They call the
/// library as any program does, and it picks a step: the block size that they are given is ignored.
/// Their scratch is the library's workspace. They throw Refused (bench/times.h) where the library
/// refuses, and std::runtime_error where something fails.
const std::vector<Step>& library_steps();

/// The one of an operation. Throws std::invalid_argument for one that is not timed.
const Step& library_step(softmax_worklog_operation operation);

}  // namespace worklog::bench
