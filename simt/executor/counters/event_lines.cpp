#include "simt/executor/counters/event_lines.h"

#include <cstdlib>

#include "simt/executor/findings/source_lines.h"
#include "simt/executor/log/called_lines.h"

namespace simt {

SourceLine split_line(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos) return {place, 0};
  return {place.substr(0, colon), std::atoi(place.c_str() + colon + 1)};
}

SourceLine line_of(Event event, std::uintptr_t near_kernel) {
  if (const Location* line = line_with_number(address_bits(event))) {
    return split_line(source_line(line->file, line->line));
  }
  return split_line(source_line(code_address(event, near_kernel)));
}

void add_code_address(Event event, std::uintptr_t near_kernel,
                      std::set<std::uintptr_t>& addresses) {
  if (line_with_number(address_bits(event)) == nullptr) addresses.insert(code_address(event, near_kernel));
}

}  // namespace simt
