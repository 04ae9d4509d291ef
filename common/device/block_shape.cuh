/// \file
/// How a block is made up, for the steps from 08 on.
#pragma once

#include <cuda_runtime.h>

#include <limits>

namespace worklog::device {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

}  // namespace worklog::device
