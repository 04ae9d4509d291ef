/// \file
/// How a block is made up, for the steps from 08 on.
#pragma once

#include <cuda_runtime.h>

#include <limits>

namespace worklog::device {

constexpr int kWarpSize = 32;                       ///< lanes of a warp
constexpr int kMaxWarps = 32;                       ///< of a block
constexpr int kMaxThreads = kWarpSize * kMaxWarps;  ///< of a block, the most that CUDA allows
/// The mask of a warp operation in which every lane takes part.
constexpr unsigned kAllLanes = 0xffffffff;
/// The maximum of no numbers.
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

}  // namespace worklog::device
