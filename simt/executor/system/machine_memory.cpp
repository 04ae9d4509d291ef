#include "simt/executor/system/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <unistd.h>

namespace simt {
namespace {

std::optional<std::uint64_t> number_in(const char* file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

// Linux counts what it could take back from its caches.
std::optional<std::uint64_t> available_to_linux() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  while (in >> word) {
    std::uint64_t kibibytes = 0;
    if (word == "MemAvailable:" && in >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

std::uint64_t left_in_container() {
  const auto limit = number_in("/sys/fs/cgroup/memory.max");  // "max" when there is none
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return std::numeric_limits<std::uint64_t>::max();
  return *limit > *used ? *limit - *used : 0;
}

std::uint64_t of_the_machine() {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::uint64_t available_machine_memory() {
  return std::min(available_to_linux().value_or(of_the_machine()), left_in_container());
}

}  // namespace simt
