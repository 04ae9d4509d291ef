#include "simt/executor/memory/mapped_memory.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "simt/executor/executor.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/memory/device_memory.h"
#include "simt/executor/system/fork_lock.h"

namespace simt {

constinit AddressSpan span_of_mapped_memory = {};

namespace {

// The widest access: what an address is past a multiple of it decides how a kernel reads a row.
constexpr std::size_t kWidestAccess = 16;

constexpr int kErrorAlreadyMapped = 712;
constexpr int kErrorNotMapped = 713;

// Changes between launches only, so kernels look without the lock. Few: a search costs no more.
struct Mapped {
  ForkLock<std::mutex> mutex;
  std::vector<MappedMemory> all;
};

Mapped& mapped() {
  static Mapped& instance = *new Mapped;
  return instance;
}

AddressSpan span_of(const std::vector<MappedMemory>& all) {
  if (all.empty()) return {};
  std::uintptr_t begin = all.front().begin;
  std::uintptr_t end = begin;
  for (const MappedMemory& memory : all) {
    begin = std::min(begin, memory.begin);
    end = std::max(end, memory.begin + memory.bytes);
  }
  return {begin, end - begin};
}

bool overlaps(const MappedMemory& memory, std::uintptr_t begin, std::size_t bytes) {
  return begin < memory.begin + memory.bytes && memory.begin < begin + bytes;
}

}  // namespace

int map_host_memory(const void* address, std::size_t bytes, std::size_t element_bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (begin == 0 || bytes == 0 || element_bytes == 0 || is_device_pointer(address)) {
    return kErrorInvalidValue;
  }
  Mapped& m = mapped();
  const std::lock_guard lock(m.mutex);
  for (const MappedMemory& memory : m.all) {
    if (overlaps(memory, begin, bytes)) return kErrorAlreadyMapped;
  }
  const std::uintptr_t place =
      DeviceMemory::instance().take_place(bytes, begin % kWidestAccess, element_bytes);
  if (place == 0) return kErrorMemoryAllocation;
  m.all.push_back({begin, bytes, place});
  span_of_mapped_memory = span_of(m.all);
  return 0;
}

int unmap_host_memory(const void* address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  Mapped& m = mapped();
  const std::lock_guard lock(m.mutex);
  const auto found = std::find_if(m.all.begin(), m.all.end(), [&](const MappedMemory& memory) {
    return memory.begin == begin;
  });
  if (found == m.all.end()) return kErrorNotMapped;
  DeviceMemory::instance().give_back_place(found->place, found->bytes);
  m.all.erase(found);
  span_of_mapped_memory = span_of(m.all);
  return 0;
}

bool is_mapped_pointer(const void* address) {
  const std::lock_guard lock(mapped().mutex);
  return find_mapped_memory(reinterpret_cast<std::uintptr_t>(address)) != nullptr;
}

const MappedMemory* find_mapped_memory(std::uintptr_t address) {
  for (const MappedMemory& memory : mapped().all) {
    if (address - memory.begin < memory.bytes) return &memory;
  }
  return nullptr;
}

std::string describe_mapped_memory(std::uintptr_t place) {
  for (const MappedMemory& memory : mapped().all) {
    if (place - memory.place >= memory.bytes) continue;
    return "byte " + std::to_string(place - memory.place) + " of " + std::to_string(memory.bytes) +
           " bytes of mapped host memory";
  }
  return "";
}

}  // namespace simt
