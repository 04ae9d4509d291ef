// Memory pools: allocations in the order of a stream, and how much of them there is.

#include "simt/runtime/memory_pools.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "simt/executor/devices.h"
#include "simt/executor/executor.h"
#include "simt/executor/findings/host_call.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/runtime/result.h"
#include "simt/runtime/stream_device.h"

/// The attributes by their numbers, and what is allocated.
struct CUmemPoolHandle_st {
  std::array<std::uint64_t, cudaMemPoolAttrUsedMemHigh + 1> attributes;
  int device;  ///< whose memory it gives out
};

namespace simt {
namespace {

struct Allocation {
  cudaMemPool_t pool;
  std::uint64_t bytes;
};

/// All pools, of each device a default one first. Never destroyed, as device memory is not.
class Pools {
 public:
  Pools() {
    for (int device = 0; device < device_count(); ++device)
      of_devices_.push_back({create(device)});
  }

  cudaMemPool_t create(int device) {
    const std::lock_guard lock(mutex_);
    auto* const pool = new CUmemPoolHandle_st{};
    pool->device = device;
    for (const int rule :
         {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
          cudaMemPoolReuseAllowInternalDependencies}) {
      pool->attributes[static_cast<std::size_t>(rule)] = 1;
    }
    known_.insert(pool);
    return pool;
  }

  cudaMemPool_t default_pool(int device) const { return of(device).default_pool; }
  cudaMemPool_t current(int device) const { return of(device).current; }
  bool has(cudaMemPool_t pool) {
    const std::lock_guard lock(mutex_);
    return known_.count(pool) != 0;
  }
  void use(cudaMemPool_t pool) { of(pool->device).current = pool; }

  /// What was allocated from it stays until it is freed.
  void destroy(cudaMemPool_t pool) {
    const std::lock_guard lock(mutex_);
    known_.erase(pool);
    OfDevice& device = of(pool->device);
    if (device.current == pool) device.current = device.default_pool;
    for (auto& [address, allocation] : allocations_) {
      if (allocation.pool == pool) allocation.pool = nullptr;
    }
    delete pool;
  }

  void add(cudaMemPool_t pool, const void* address, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    allocations_[address] = {pool, bytes};
    add_used(pool, bytes);
  }

  void remove_all(int device) {
    const std::lock_guard lock(mutex_);
    std::erase_if(allocations_, [device](const auto& each) {
      const cudaMemPool_t pool = each.second.pool;
      return pool != nullptr && pool->device == device;
    });
    for (const cudaMemPool_t pool : known_) {
      if (pool->device != device) continue;
      add_used(pool, 0 - pool->attributes[cudaMemPoolAttrUsedMemCurrent]);
    }
  }

  void remove(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(address);
    if (found == allocations_.end()) return;
    if (found->second.pool != nullptr) add_used(found->second.pool, 0 - found->second.bytes);
    allocations_.erase(found);
  }

 private:
  static void add_used(cudaMemPool_t pool, std::uint64_t bytes) {
    auto& a = pool->attributes;
    a[cudaMemPoolAttrUsedMemCurrent] += bytes;
    a[cudaMemPoolAttrReservedMemCurrent] = a[cudaMemPoolAttrUsedMemCurrent];
    for (const auto& [high, current] :
         {std::pair{cudaMemPoolAttrUsedMemHigh, cudaMemPoolAttrUsedMemCurrent},
          std::pair{cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrReservedMemCurrent}}) {
      a[high] = std::max(a[high], a[current]);
    }
  }

  struct OfDevice {
    cudaMemPool_t default_pool;
    cudaMemPool_t current = default_pool;
  };
  OfDevice& of(int device) { return of_devices_[static_cast<std::size_t>(device)]; }
  const OfDevice& of(int device) const { return of_devices_[static_cast<std::size_t>(device)]; }

  ForkLock<std::mutex> mutex_;
  std::set<cudaMemPool_t> known_;
  std::map<const void*, Allocation> allocations_;
  std::vector<OfDevice> of_devices_;
};
Pools& pools() {
  static Pools& known = *new Pools;
  return known;
}

bool is_attribute(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
         attribute <= cudaMemPoolAttrUsedMemHigh;
}
bool is_rule(cudaMemPoolAttr attribute) {
  return attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

void note_freed_to_pool(const void* address) {
  pools().remove(address);
}

void note_all_freed_to_pools() {
  pools().remove_all(current_device());
}

cudaError_t malloc_from_pool(void** address, std::size_t bytes, std::size_t element_bytes,
                             cudaMemPool_t pool) {
  SIMT_HOST_CALL;
  if (pool == nullptr) pool = pools().current(current_device());
  if (!pools().has(pool)) return result(cudaErrorInvalidValue);
  const OnDevice on(pool->device);
  const cudaError_t error = malloc_elements(address, bytes, element_bytes);
  if (error == cudaSuccess && *address != nullptr) pools().add(pool, *address, bytes);
  return error;
}

cudaError_t malloc_in_stream(void** address, std::size_t bytes, std::size_t element_bytes,
                             cudaStream_t stream) {
  SIMT_HOST_CALL;
  if (is_capturing(stream)) return result(capture_malloc(stream, address, bytes, element_bytes));
  const OnDevice on(device_of_stream(stream));
  return malloc_from_pool(address, bytes, element_bytes);
}

}  // namespace simt

using simt::is_device;
using simt::pools;
using simt::result;

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (pool == nullptr) return result(cudaErrorInvalidValue);
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  *pool = pools().default_pool(device);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (pool == nullptr) return result(cudaErrorInvalidValue);
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  *pool = pools().current(device);
  return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  if (!pools().has(pool) || pool->device != device) return result(cudaErrorInvalidValue);
  pools().use(pool);
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr) return result(cudaErrorInvalidValue);
  if (properties->handleTypes != cudaMemHandleTypeNone) return result(cudaErrorNotSupported);
  const bool is_here = properties->location.type == cudaMemLocationTypeDevice &&
                       is_device(properties->location.id) &&
                       properties->allocType == cudaMemAllocationTypePinned;
  if (!is_here) return result(cudaErrorInvalidValue);
  *pool = pools().create(properties->location.id);
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const bool can = pools().has(pool) && pool != pools().default_pool(pool->device);
  if (!can) return result(cudaErrorInvalidValue);
  pools().destroy(pool);
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const bool valid = pools().has(pool) && simt::is_attribute(attribute) && value != nullptr;
  if (!valid) return result(cudaErrorInvalidValue);
  const std::uint64_t known = pool->attributes[attribute];
  if (simt::is_rule(attribute)) {
    *static_cast<int*>(value) = static_cast<int>(known);
  } else {
    *static_cast<std::uint64_t*>(value) = known;
  }
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const bool valid = pools().has(pool) && simt::is_attribute(attribute) && value != nullptr;
  if (!valid) return result(cudaErrorInvalidValue);
  std::uint64_t& known = pool->attributes[attribute];
  if (simt::is_rule(attribute)) {
    known = static_cast<std::uint64_t>(*static_cast<int*>(value));
    return cudaSuccess;
  }
  const std::uint64_t wanted = *static_cast<std::uint64_t*>(value);
  if (attribute == cudaMemPoolAttrReleaseThreshold) {
    known = wanted;
    return cudaSuccess;
  }
  // The highest figures may be set to 0, from where they count anew; the others are not set at all.
  const bool is_high =
      attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
  if (!is_high || wanted != 0) return result(cudaErrorInvalidValue);
  known = pool->attributes[attribute - 1];
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return result(pools().has(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list,
                                 std::size_t count) {
  if (!pools().has(pool) || (list == nullptr && count > 0)) return result(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i) {
    if (list[i].location.type != cudaMemLocationTypeDevice) return result(cudaErrorInvalidValue);
    if (!is_device(list[i].location.id)) return result(cudaErrorInvalidDevice);
    // Here, peers reach memory of a pool as they reach any other.
    if (list[i].location.id != pool->device) return result(cudaErrorNotSupported);
  }
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  if (flags == nullptr || location == nullptr || !pools().has(pool)) {
    return result(cudaErrorInvalidValue);
  }
  const bool is_here = location->type == cudaMemLocationTypeDevice && location->id == pool->device;
  *flags = is_here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void** address, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  SIMT_HOST_CALL;
  if (pool == nullptr) return result(cudaErrorInvalidValue);
  if (simt::is_capturing(stream)) return simt::malloc_in_stream(address, bytes, 1, stream);
  return simt::malloc_from_pool(address, bytes, 1, pool);
}

cudaError_t cudaMallocAsync(void** address, std::size_t bytes, cudaStream_t stream) {
  SIMT_HOST_CALL;
  return simt::malloc_in_stream(address, bytes, 1, stream);
}
