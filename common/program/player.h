/// \file
/// The page that plays what a step's warps do.
#pragma once

#include <string>
#include <vector>

#include "common/step/step.h"

namespace worklog {

/// Threads of a block of the played case: four warps, which wait for each other at barriers.
constexpr int kPlayedBlock = 128;

/// Runs each step on the small case (traced_run.h) in fp32, in blocks of `block_size` threads (0:
/// of kPlayedBlock), and returns a page that plays its first warps. The steps are kernels of one
/// directory, at least one. Throws as run() does, and CudaError if a kernel fails.
std::string player_of(const std::vector<const Step*>& steps, int block_size);

}  // namespace worklog
