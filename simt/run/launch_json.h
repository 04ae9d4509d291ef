/// \file
/// The JSON of a launch (docs/run.md). All here, because the recorder that is linked into programs
/// is a single object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simt/executor/counters.h"
#include "simt/executor/devices.h"
#include "simt/executor/launch_observer.h"

namespace simt::run {

/// Three numbers.
inline nlohmann::ordered_json to_json(const Dim3& shape) {
  return {shape.x, shape.y, shape.z};
}

/// All of them, by name.
inline nlohmann::ordered_json to_json(const Counters& counters) {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const auto& [name, value] : named(counters))
    values[std::string(name)] = value;
  return values;
}

/// Counters that are 0 are left out: most are, of a line.
inline nlohmann::ordered_json to_json(const std::vector<LineCounters>& lines) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const LineCounters& line : lines) {
    nlohmann::ordered_json counters = nlohmann::ordered_json::object();
    for (const auto& [name, value] : named(line.counters)) {
      if (value != 0) counters[std::string(name)] = value;
    }
    values.push_back({{"file", line.file}, {"line", line.line}, {"counters", counters}});
  }
  return values;
}

/// The launch that has just ended, whose observer calls this.
inline nlohmann::ordered_json to_json(const EndedLaunch& launch) {
  nlohmann::ordered_json json = {{"kernel", launch.kernel},
                                 {"grid", to_json(launch.config.grid)},
                                 {"block", to_json(launch.config.block)},
                                 {"cluster", to_json(launch.config.cluster)},
                                 {"dynamic_shared_bytes", launch.config.dynamic_shared_bytes},
                                 {"counters", nlohmann::ordered_json::object()},
                                 {"lines", nlohmann::ordered_json::array()}};
  if (launch.is_plain) {
    json["plain"] = true;
  } else {
    json["counters"] = to_json(launch.counters);
    json["lines"] = to_json(last_launch_by_line());
  }
  if (launch.was_ended) json["ended"] = true;
  if (device_count() > 1) json["device"] = launch.device;
  return json;
}

}  // namespace simt::run
