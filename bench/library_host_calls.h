/// \file
/// What a call of the library costs the host.
#pragma once

#include <nlohmann/json.hpp>

namespace worklog::bench {

/// Rows and columns of the problems that are called with: the GPU is done with them sooner than the
/// host comes with the next.
inline constexpr int kHostCallRows = 8;
inline constexpr int kHostCallCols = 1024;

/// For each operation the median of many samples, in microseconds: until a call returns, its launch
/// included. The GPU is idle when a sample begins. Also how long picking a step takes alone.
nlohmann::ordered_json library_host_calls();

}  // namespace worklog::bench
