#include "simt/executor/memory/device_variables.h"

#include <algorithm>
#include <map>

#include "simt/executor/memory/device_memory.h"

namespace simt {

constinit AddressSpan span_of_device_variables = {};

namespace {

constexpr std::size_t kAlignment = 256;

struct Variables {
  std::map<std::uintptr_t, PlacedVariable> by_address;
  std::size_t bytes = 0;  ///< of all places
};

// Never destroyed, and made when it is first used: static objects of any file come here.
Variables& variables() {
  static Variables& instance = *new Variables;
  return instance;
}

const char* keyword_of(DeviceVariable::Memory memory) {
  switch (memory) {
    case DeviceVariable::kManaged:
      return "__managed__";
    case DeviceVariable::kConstant:
      return "__constant__";
    default:
      return "__device__";
  }
}

AddressSpan span_of(const Variables& all) {
  const std::uintptr_t begin = all.by_address.begin()->first;
  const PlacedVariable& last = all.by_address.rbegin()->second;
  return {begin, last.begin + last.variable.bytes - begin};
}

}  // namespace

void add_device_variable(const DeviceVariable& variable) {
  Variables& all = variables();
  DeviceMemory& memory = DeviceMemory::instance();  // makes the arena
  const auto begin = reinterpret_cast<std::uintptr_t>(variable.address);
  const std::size_t reserved = (variable.bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (reserved > Arena::kVariableBytes - all.bytes) return;
  const std::uintptr_t place = arena.begin + Arena::kBytes + all.bytes;
  if (!all.by_address.try_emplace(begin, PlacedVariable{variable, begin, place}).second) return;
  all.bytes += reserved;
  memory.set_element_size(place, variable.bytes, variable.element_bytes);
  span_of_device_variables = span_of(all);
}

const PlacedVariable* find_device_variable(std::uintptr_t address) {
  const auto& all = variables().by_address;
  const auto after = all.upper_bound(address);
  if (after == all.begin()) return nullptr;
  const PlacedVariable& found = std::prev(after)->second;
  return address - found.begin < found.variable.bytes ? &found : nullptr;
}

const void* variable_at_place(std::uintptr_t place) {
  for (const auto& [begin, placed] : variables().by_address) {
    const std::uintptr_t offset = place - placed.place;
    if (offset < placed.variable.bytes) return reinterpret_cast<const void*>(begin + offset);
  }
  return nullptr;
}

std::string describe_variable(std::uintptr_t place) {
  for (const auto& [begin, placed] : variables().by_address) {
    const DeviceVariable& variable = placed.variable;
    if (place - placed.place >= variable.bytes) continue;
    return "byte " + std::to_string(place - placed.place) + " of the " +
           keyword_of(variable.memory) + " variable '" + variable.name + "', which has " +
           std::to_string(variable.bytes) + " bytes";
  }
  return "";
}

}  // namespace simt
