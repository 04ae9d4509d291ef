#include "simt/executor/memory/host_pointers.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace simt {
namespace {

bool refused = false;
thread_local std::vector<std::uintptr_t> expected;

// A range of addresses that the system has given the program.
struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string name;  // of a file, or such as "[heap]"; empty where it has none
};

// Of Linux; elsewhere no address is known.
std::optional<Mapping> mapping_of(std::uintptr_t address) {
  std::FILE* const file = std::fopen("/proc/self/maps", "r");
  if (file == nullptr) return std::nullopt;
  std::optional<Mapping> found;
  char line[1024];
  while (!found && std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    int name = 0;
    if (std::sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &begin, &end, &name) < 2) continue;
    if (address < begin || address >= end) continue;
    line[std::strcspn(line, "\n")] = '\0';
    found = Mapping{begin, end, name > 0 ? line + name : ""};
  }
  std::fclose(file);
  return found;
}

// What the GNU C library writes before each piece of memory that it gives out: its size with that
// header, and three bits of other meaning. 0 where the address is no beginning of a piece.
std::size_t bytes_from_malloc(std::uintptr_t address, const Mapping& mapping) {
  if (address % 16 != 0 || address - mapping.begin < sizeof(std::size_t)) return 0;
  std::size_t header = 0;
  std::memcpy(&header, reinterpret_cast<const void*>(address - sizeof header), sizeof header);
  const std::size_t bytes = header & ~std::size_t{7};
  const std::size_t most = mapping.end - address + sizeof header;
  constexpr std::size_t kLeast = 32;
  return bytes >= kLeast && bytes % 16 == 0 && bytes <= most ? bytes - sizeof header : 0;
}

// Where the end of a variable or array is not known, the argument is taken to point at so much.
constexpr std::size_t kUnknownBytes = 65536;

HostRange range_from(std::uintptr_t address, const Mapping& mapping) {
  const std::size_t rest = std::min(mapping.end - address, kUnknownBytes);
  if (mapping.name.starts_with("[stack")) return {address, rest, "the stack of host code"};
  if (mapping.name.starts_with('/')) return {address, rest, "a variable of the host"};
  const std::size_t bytes = bytes_from_malloc(address, mapping);
  return {address, bytes != 0 ? bytes : rest, "the host's memory (from malloc or new)"};
}

}  // namespace

void refuse_host_pointers(bool on) {
  refused = on;
}

bool host_pointers_are_refused() {
  return refused;
}

void expect_host_pointer(std::uintptr_t address) {
  expected.push_back(address);
}

std::vector<HostRange> take_expected_host_pointers() {
  std::vector<HostRange> ranges;
  for (const std::uintptr_t address : std::exchange(expected, {})) {
    if (const auto mapping = mapping_of(address)) ranges.push_back(range_from(address, *mapping));
  }
  return ranges;
}

}  // namespace simt
