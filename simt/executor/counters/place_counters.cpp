#include "simt/executor/counters/place_counters.h"

#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "simt/executor/fibers/running_launch.h"
#include "simt/executor/findings/source_lines.h"

namespace simt {
namespace {

using SourceLine = std::pair<std::string, int>;

SourceLine line_of(const CodePlace& place) {
  const std::string text = place.code_address != 0 ? source_line(place.code_address)
                                                   : source_line(place.file, place.line);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text, 0};
  return {text.substr(0, colon), std::atoi(text.c_str() + colon + 1)};
}

}  // namespace

CountersByPlace counters_by_place(const Tally& tally, const Launch& launch) {
  const auto near_kernel = reinterpret_cast<std::uintptr_t>(launch.body);
  CountersByPlace by_place;
  for (const auto& [place, counters] : tally.by_place()) {
    const std::uintptr_t address = place.event != 0 ? code_address(place.event, near_kernel) : 0;
    by_place[{address, place.line.file, place.line.line}] += counters;
  }
  return by_place;
}

void add(CountersByPlace& sum, const CountersByPlace& counters) {
  for (const auto& [place, of_place] : counters)
    sum[place] += of_place;
}

std::vector<LineCounters> by_line(const CountersByPlace& counters) {
  std::set<std::uintptr_t> addresses;
  for (const auto& [place, of_place] : counters) {
    if (place.code_address != 0) addresses.insert(place.code_address);
  }
  look_up_source_lines(addresses);
  std::map<SourceLine, Counters> sums;
  for (const auto& [place, of_place] : counters)
    sums[line_of(place)] += of_place;
  std::vector<LineCounters> lines;
  lines.reserve(sums.size());
  for (const auto& [line, sum] : sums)
    lines.push_back({line.first, line.second, sum});
  return lines;
}

}  // namespace simt
