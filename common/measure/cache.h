/// \file
/// The state of the L2 cache when timed work begins.
#pragma once

#include <string_view>

namespace worklog {

/// Cold and written: nothing of the data is in the cache. Warm: the same work has just run on it.
enum class Cache {
  kCold,     ///< full of what another kernel has read, which may simply be dropped
  kWarm,     ///< as the run before left it
  kWritten,  ///< full of what another kernel has stored, a part of which is not in DRAM yet
};

/// "cold", "warm" or "written".
constexpr std::string_view name_of(Cache cache) {
  switch (cache) {
    case Cache::kCold:
      return "cold";
    case Cache::kWarm:
      return "warm";
    case Cache::kWritten:
      return "written";
  }
  return "";
}

}  // namespace worklog
