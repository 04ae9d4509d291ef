#include "simt/run/floors.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace simt::run {
namespace {

using nlohmann::ordered_json;

const ordered_json& all_devices() {
  static const ordered_json devices = ordered_json::parse(kDevices);
  return devices;
}

constexpr const char* kReadOnlyBytes = "global_read_only_unique_bytes";
constexpr const char* kLoadedBytes = "global_load_unique_bytes";  // a line does not know the others
constexpr const char* kStoredBytes = "global_store_unique_bytes";
/// What enters an SM's L1, one at a clock.
constexpr std::array kEntriesOfL1 = {"global_load_requests", "global_store_requests",
                                     "global_atomic_requests", "shared_load_wavefronts",
                                     "shared_store_wavefronts"};

double sum_of_entries(const ordered_json& counters) {
  double sum = 0;
  for (const char* const name : kEntriesOfL1)
    sum += counters.value(name, 0.0);
  return sum;
}

/// Without those that a cache may have before the launch or keep behind it, or that come from
/// elsewhere.
double beyond(double bytes, double not_moved) {
  return std::max(0.0, bytes - not_moved);
}

/// How much of a launch's work for a unit a line has asked for, in whatever the unit counts. What
/// the cache can hold of a launch's loads or stores is no work for DRAM, and neither are a line's.
double asked_by(const ordered_json& line, const std::string& unit, const ordered_json& of_launch,
                const ordered_json& figures) {
  const auto is_beyond_cache = [&](const char* name) {
    return of_launch.value(name, 0.0) > figures["l2_bytes"].get<double>();
  };
  if (unit == "DRAM") {
    return (is_beyond_cache(kReadOnlyBytes) ? line.value(kLoadedBytes, 0.0) : 0.0) +
           (is_beyond_cache(kStoredBytes) ? line.value(kStoredBytes, 0.0) : 0.0);
  }
  return unit == "L2" ? line.value(kLoadedBytes, 0.0) : sum_of_entries(line);
}

}  // namespace

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const auto& [name, figures] : all_devices().items())
    names.push_back(name);
  return names;
}

ordered_json device_figures(const std::string& name) {
  const ordered_json& devices = all_devices();
  if (devices.contains(name)) return devices[name];
  std::string known;
  for (const auto& [other, figures] : devices.items())
    known += (known.empty() ? "" : ", ") + other;
  throw std::invalid_argument("--on: nothing is known of a device '" + name + "': there are " +
                              known);
}

ordered_json floors(const ordered_json& counters, const ordered_json& figures) {
  const double l2_bytes = figures["l2_bytes"];
  // What the launch wrote itself, it may load from a cache; and what is another device's, comes
  // over the link.
  const double loaded =
      beyond(counters.value(kReadOnlyBytes, 0.0), counters.value("link_load_bytes", 0.0));
  const double stored =
      beyond(counters.value(kStoredBytes, 0.0), counters.value("link_store_bytes", 0.0));
  // Each unit of an SM multiplies and adds once a clock: all SMs together so many clocks a second.
  const double clocks_of_all_sms = figures["fp32_operations_per_second"].get<double>() /
                                   (2 * figures["fp32_units_of_an_sm"].get<double>());
  ordered_json all = ordered_json::object();
  all["DRAM"] = (beyond(loaded, l2_bytes) + beyond(stored, l2_bytes)) /
                figures["dram_bytes_per_second"].get<double>();
  if (figures.contains("l2_bytes_per_clock")) {
    const double clock = clocks_of_all_sms / figures["sms"].get<double>();
    all["L2"] = loaded / (figures["l2_bytes_per_clock"].get<double>() * clock);
  }
  // One request, or one wavefront of shared memory, enters an SM's L1 at a clock.
  all["L1 and shared"] = sum_of_entries(counters) / clocks_of_all_sms;
  return all;
}

std::string highest_floor(const ordered_json& floors) {
  std::string highest;
  double most = 0;
  for (const auto& [unit, seconds] : floors.items()) {
    if (seconds.get<double>() <= most) continue;
    most = seconds;
    highest = unit;
  }
  return highest;
}

ordered_json asking_line(const ordered_json& launch, const ordered_json& figures) {
  const ordered_json& counters = launch["counters"];
  const std::string unit = highest_floor(floors(counters, figures));
  ordered_json asking;
  double most = 0;
  for (const ordered_json& line : launch["lines"]) {
    const double asked = asked_by(line["counters"], unit, counters, figures);
    if (unit.empty() || asked <= most) continue;
    most = asked;
    asking = {{"file", line["file"]}, {"line", line["line"]}};
  }
  return asking;
}

}  // namespace simt::run
