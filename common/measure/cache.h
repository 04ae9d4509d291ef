/// \file
/// The state of the L2 cache when timed work begins.
#pragma once

#include <string_view>

namespace worklog {

/// Cold: nothing of the data is in the cache. Warm: the same work has just run on it.
enum class Cache {
  kCold,  ///< flushed before each run
  kWarm,  ///< as the run before left it
};

/// "cold" or "warm".
constexpr std::string_view name_of(Cache cache) {
  return cache == Cache::kCold ? "cold" : "warm";
}

}  // namespace worklog
