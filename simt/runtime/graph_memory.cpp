#include "simt/runtime/graph_memory.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "simt/executor/devices.h"
#include "simt/executor/memory/device_memory.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/runtime/result.h"

namespace simt {
namespace {

/// Memory that some node allocates.
struct GraphAllocation {
  std::size_t bytes;
  int device;
  bool is_live;  ///< whether the node has run, and nobody has freed it since
};

/// What the graphs of a device have. What they needed once stays theirs until it is trimmed.
struct Footprint {
  std::uint64_t live = 0;
  std::uint64_t kept = 0;
  std::array<std::uint64_t, cudaGraphMemAttrReservedMemHigh + 1> most = {};  ///< by attribute
};

/// All of it. Never destroyed, as device memory is not.
struct GraphMemory {
  ForkLock<std::mutex> mutex;
  std::map<const void*, GraphAllocation> allocations;
  std::vector<Footprint> of_devices{static_cast<std::size_t>(device_count())};

  Footprint& of(int device) { return of_devices[static_cast<std::size_t>(device)]; }
};
GraphMemory& memory_of_graphs() {
  static auto& all = *new GraphMemory;
  return all;
}

void note_allocated(const void* address) {
  GraphMemory& all = memory_of_graphs();
  const std::lock_guard lock(all.mutex);
  GraphAllocation& allocation = all.allocations.at(address);
  allocation.is_live = true;
  Footprint& footprint = all.of(allocation.device);
  footprint.live += allocation.bytes;
  footprint.kept = std::max(footprint.kept, footprint.live);
  for (std::uint64_t& most : footprint.most)
    most = std::max(most, footprint.kept);
}

bool is_high(cudaGraphMemAttributeType attribute) {
  return attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
}

bool is_attribute(cudaGraphMemAttributeType attribute) {
  return attribute >= cudaGraphMemAttrUsedMemCurrent &&
         attribute <= cudaGraphMemAttrReservedMemHigh;
}

}  // namespace

cudaError_t allocating_work(StreamWork& work, std::size_t bytes, std::size_t element_bytes,
                            int device) {
  if (bytes == 0) return cudaErrorInvalidValue;
  const OnDevice on(device);
  void* address = nullptr;
  const int error = DeviceMemory::instance().reserve(&address, bytes);
  if (error != cudaSuccess) return static_cast<cudaError_t>(error);
  GraphMemory& all = memory_of_graphs();
  const std::lock_guard lock(all.mutex);
  all.allocations[address] = {bytes, device, false};
  work.type = cudaGraphNodeTypeMemAlloc;
  work.device = device;
  work.memory = address;
  work.run = [=] {
    // What an earlier launch allocated, and nobody has freed, is in the way.
    if (!DeviceMemory::instance().allocate_at(address, bytes, element_bytes))
      return result(cudaErrorInvalidValue);
    note_allocated(address);
    return cudaSuccess;
  };
  return cudaSuccess;
}

cudaError_t freeing_work(StreamWork& work, void* address) {
  GraphMemory& all = memory_of_graphs();
  const std::lock_guard lock(all.mutex);
  const auto found = all.allocations.find(address);
  if (found == all.allocations.end()) return cudaErrorInvalidValue;
  work.type = cudaGraphNodeTypeMemFree;
  work.device = found->second.device;
  work.memory = address;
  work.run = [address] { return cudaFree(address); };
  return cudaSuccess;
}

void note_freed_to_graphs(const void* address) {
  GraphMemory& all = memory_of_graphs();
  const std::lock_guard lock(all.mutex);
  const auto found = all.allocations.find(address);
  if (found == all.allocations.end() || !found->second.is_live) return;
  found->second.is_live = false;
  all.of(found->second.device).live -= found->second.bytes;
}

}  // namespace simt

using simt::is_device;
using simt::memory_of_graphs;
using simt::result;

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  if (value == nullptr || !simt::is_attribute(attribute)) return result(cudaErrorInvalidValue);
  const std::lock_guard lock(memory_of_graphs().mutex);
  const simt::Footprint& footprint = memory_of_graphs().of(device);
  *static_cast<std::uint64_t*>(value) =
      simt::is_high(attribute) ? footprint.most[attribute] : footprint.kept;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  // The highest figures may be set to 0, from where they count anew; the others are not set at all.
  const bool valid = value != nullptr && simt::is_attribute(attribute) &&
                     simt::is_high(attribute) && *static_cast<std::uint64_t*>(value) == 0;
  if (!valid) return result(cudaErrorInvalidValue);
  const std::lock_guard lock(memory_of_graphs().mutex);
  memory_of_graphs().of(device).most[attribute] = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  const std::lock_guard lock(memory_of_graphs().mutex);
  simt::Footprint& footprint = memory_of_graphs().of(device);
  footprint.kept = footprint.live;
  return cudaSuccess;
}
