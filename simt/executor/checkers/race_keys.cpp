#include "simt/executor/checkers/race_keys.h"

#include "simt/executor/checkers/stored_values.h"
#include "simt/executor/counters/tally.h"
#include "simt/executor/fibers/running_launch.h"
#include "simt/executor/findings/source_lines.h"
#include "simt/executor/memory/arena.h"
#include "simt/executor/memory/device_memory.h"
#include "simt/executor/memory/device_variables.h"

namespace simt {

const char* name_of(GlobalAccess access) {
  switch (access) {
    case GlobalAccess::kLoad:
      return "load";
    case GlobalAccess::kStore:
      return "store";
    default:
      return "atomic operation";
  }
}

Place place_of(const Launch& launch, const Tally& tally, GlobalAccess access, std::uint32_t code) {
  if (access == GlobalAccess::kAtomic) {
    for (const auto& [event, line] : tally.located()) {
      if (kept_code(event) == code) return {line, 0};
    }
  }
  const auto near = reinterpret_cast<std::uintptr_t>(launch.body);
  return {{}, code_address_near<kKeptCodeBits>(near, code)};
}

bool are_on_one_line(const Place& a, const Place& b) {
  const auto line_of = [](const Place& place) {
    return place.code_address != 0 ? source_line(place.code_address)
                                   : source_line(place.line.file, place.line.line);
  };
  return line_of(a) == line_of(b);
}

const void* noted_memory(const Launch& launch, std::size_t offset) {
  const std::uintptr_t place = arena.begin + offset;
  const AddressSpan large = memory_of_large(launch.device);
  const bool is_small = launch.memory.contains(place) && !large.contains(place);
  return is_small ? reinterpret_cast<const void*>(place) : variable_at_place(place);
}

bool all_stored_the_same(const Launch& launch, const StoredValues& values, std::size_t offset,
                         std::size_t bytes) {
  const void* const at = noted_memory(launch, offset);
  return at != nullptr && values.are_equal(offset, at, bytes);
}

}  // namespace simt
