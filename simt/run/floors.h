/// \file
/// `--on`: of each launch the least time that units of a device need for what was counted. A floor
/// is no estimate: a launch that accesses memory as the source does takes at least as long, and
/// often much longer.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace simt::run {

/// devices.json: published figures, each with its source.
extern const char* const kDevices;

/// The names that --on takes.
std::vector<std::string> device_names();

/// What is published of one. Throws std::invalid_argument with the names that there are.
nlohmann::ordered_json device_figures(const std::string& name);

/// Seconds by unit ("DRAM", "L2", "L1 and shared"), of a launch's `counters`. A unit whose speed
/// nobody has published is left out.
nlohmann::ordered_json floors(const nlohmann::ordered_json& counters,
                              const nlohmann::ordered_json& figures);

/// The unit with the highest floor; empty if all are 0.
std::string highest_floor(const nlohmann::ordered_json& floors);

/// The `file` and `line` that asks for more of the highest floor than any other line of a launch;
/// of equals the first. Null where no line is known to ask for it.
nlohmann::ordered_json asking_line(const nlohmann::ordered_json& launch,
                                   const nlohmann::ordered_json& figures);

}  // namespace simt::run
