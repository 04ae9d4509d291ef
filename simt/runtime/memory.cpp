#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "simt/executor/devices.h"
#include "simt/executor/executor.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/findings/host_call.h"
#include "simt/executor/memory/device_variables.h"
#include "simt/executor/memory/host_pointers.h"
#include "simt/executor/memory/mapped_memory.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/runtime/device_limits.h"
#include "simt/runtime/device_reach.h"
#include "simt/runtime/graph_memory.h"
#include "simt/runtime/memory_pools.h"
#include "simt/runtime/result.h"

namespace simt {
namespace {

/// Pieces of memory that somebody knows the addresses of.
class Pieces {
 public:
  void add(const void* address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    sizes_[address] = bytes;
  }

  /// False if `address` is not the start of one of them.
  bool remove(const void* address) {
    const std::lock_guard lock(mutex_);
    return sizes_.erase(address) != 0;
  }

  bool contains(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto after = sizes_.upper_bound(address);
    if (after == sizes_.begin()) return false;
    const auto& [begin, bytes] = *std::prev(after);
    return static_cast<const char*>(address) < static_cast<const char*>(begin) + bytes;
  }

 private:
  ForkLock<std::mutex> mutex_;
  std::map<const void*, std::size_t> sizes_;
};

/// Memory of the host that the runtime has given out. Never destroyed: static objects of the
/// program may own some, and give it back at the very end.
Pieces& pinned() {
  static Pieces& allocations = *new Pieces;
  return allocations;
}

/// The `__device__` variables of which somebody has the address. Never destroyed, for the same
/// reason.
Pieces& symbols() {
  static Pieces& known = *new Pieces;
  return known;
}

cudaError_t allocate_pinned(void** address, std::size_t bytes) {
  if (address == nullptr) return cudaErrorInvalidValue;
  *address = nullptr;
  if (bytes == 0) return cudaSuccess;
  constexpr std::size_t kAlignment = 256;
  if (bytes > SIZE_MAX - kAlignment) return cudaErrorMemoryAllocation;
  void* memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  pinned().add(memory, bytes);
  *address = memory;
  return cudaSuccess;
}

bool free_pinned(void* address) {
  if (!pinned().remove(address)) return false;
  std::free(address);
  return true;
}

/// Memory of the program's own that it has registered.
Pieces& registered() {
  static Pieces& known = *new Pieces;
  return known;
}

/// Memory of the host that kernels reach, too.
bool device_shares(const void* address) {
  return pinned().contains(address) || registered().contains(address) ||
         mapped_memory_at(reinterpret_cast<std::uintptr_t>(address)) != nullptr;
}

bool device_may_use(const void* address) {
  return is_device_pointer(address) || symbols().contains(address);
}
bool host_may_use(const void* address) {
  return !is_device_pointer(address) || is_managed_pointer(address);
}

/// cudaSuccess if the pointers are on the sides that `kind` says.
int check_direction(const void* to, const void* from, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (kind == cudaMemcpyDefault) return cudaSuccess;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool to_fits = to_device ? device_may_use(to) : host_may_use(to);
  const bool from_fits = from_device ? device_may_use(from) : host_may_use(from);
  return to_fits && from_fits ? cudaSuccess : cudaErrorInvalidValue;
}

/// A program that does not look at the error shall know why its data did not come.
void note_wrong_direction(const void* to, const void* from, cudaMemcpyKind kind) {
  constexpr const char* kNames[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                    "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
  const auto side = [](const void* address) {
    if (is_managed_pointer(address)) return "managed memory";
    return device_may_use(address) ? "memory of the device" : "memory of the host";
  };
  note_in_host_code("copy-direction", std::string("a copy with ") + kNames[kind] + " from " +
                                          side(from) + " to " + side(to) +
                                          " fails with cudaErrorInvalidValue, and copies nothing");
}

int copy_checked(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  const int error = check_direction(to, from, kind);
  if (error == cudaErrorInvalidValue) note_wrong_direction(to, from, kind);
  return error != cudaSuccess ? error : copy(to, from, bytes);
}

bool fits_symbol(std::size_t size, std::size_t bytes, std::size_t offset) {
  return offset <= size && bytes <= size - offset;
}

}  // namespace

cudaError_t malloc_elements(void** address, std::size_t bytes, std::size_t element_bytes) {
  SIMT_HOST_CALL;
  if (address == nullptr) return result(cudaErrorInvalidValue);
  if (bytes == 0) {
    *address = nullptr;
    return cudaSuccess;
  }
  return result(device_malloc(address, bytes, element_bytes));
}

bool device_reaches(const void* address) {
  return device_may_use(address) || device_shares(address) ||
         device_variable_at(reinterpret_cast<std::uintptr_t>(address)) != nullptr;
}

std::optional<OutOfReach> why_out_of_reach(int device, const void* address) {
  if (!device_reaches(address)) {
    return OutOfReach{"host-pointer", "memory of the host that no device reaches"};
  }
  if (!is_device_pointer(address) || is_managed_pointer(address)) return {};
  const int owner = device_of_memory(address);
  if (owner == device || has_peer_access(device, owner)) return {};
  return OutOfReach{"peer-access",
                    "memory of device " + std::to_string(owner) + ", to which that has no access"};
}

void note_arguments(const void* bytes, std::size_t size) {
  if (!host_pointers_are_refused()) return;
  constexpr std::uintptr_t kNoAddressBelow = 65536;  // an index, or a null pointer with one added
  const auto* const words = static_cast<const char*>(bytes);
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= size; at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, words + at, sizeof word);
    const auto* const address = reinterpret_cast<const void*>(word);
    if (word >= kNoAddressBelow && !device_reaches(address)) expect_host_pointer(word);
  }
}

void note_symbol(const void* symbol, std::size_t size) {
  symbols().add(symbol, size);
}

cudaError_t malloc_managed_elements(void** address, std::size_t bytes, unsigned flags,
                                    std::size_t element_bytes) {
  SIMT_HOST_CALL;
  const bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost;
  if (!known || address == nullptr || bytes == 0) return result(cudaErrorInvalidValue);
  return result(managed_malloc(address, bytes, element_bytes));
}

// `__device__` variables are the host's memory, and plain accesses of both sides reach them.

cudaError_t copy_to_symbol(void* symbol, std::size_t size, const void* from, std::size_t bytes,
                           std::size_t offset) {
  SIMT_HOST_CALL;
  if (bytes == 0) return cudaSuccess;
  if (from == nullptr || !fits_symbol(size, bytes, offset)) return result(cudaErrorInvalidValue);
  return result(copy(static_cast<char*>(symbol) + offset, from, bytes));
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t bytes,
                             std::size_t offset) {
  SIMT_HOST_CALL;
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || !fits_symbol(size, bytes, offset)) return result(cudaErrorInvalidValue);
  return result(copy(to, static_cast<const char*>(symbol) + offset, bytes));
}

}  // namespace simt

using simt::result;

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  SIMT_HOST_CALL;
  return simt::malloc_elements(address, bytes, 1);
}

cudaError_t cudaMallocManaged(void** address, std::size_t bytes, unsigned flags) {
  SIMT_HOST_CALL;
  return simt::malloc_managed_elements(address, bytes, flags, 1);
}

cudaError_t cudaMallocHost(void** address, std::size_t bytes) {
  return cudaHostAlloc(address, bytes, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned flags) {
  constexpr unsigned kKnown =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~kKnown) != 0) return result(cudaErrorInvalidValue);
  return result(simt::allocate_pinned(address, bytes));
}

cudaError_t cudaFree(void* address) {
  SIMT_HOST_CALL;
  if (address == nullptr) return cudaSuccess;
  simt::note_freed_to_pool(address);
  simt::note_freed_to_graphs(address);
  return result(simt::device_free(address));
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  SIMT_HOST_CALL;
  if (simt::is_capturing(stream)) return result(simt::capture_free(stream, address));
  return cudaFree(address);
}

cudaError_t cudaMallocPitch(void** address, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  SIMT_HOST_CALL;
  if (pitch == nullptr || width > SIZE_MAX / 2) return result(cudaErrorInvalidValue);
  constexpr std::size_t kAlignment = simt::device_limits::kPitchAlignment;
  *pitch = (width + kAlignment - 1) / kAlignment * kAlignment;
  if (height != 0 && *pitch > SIZE_MAX / height) return result(cudaErrorMemoryAllocation);
  return cudaMalloc(address, *pitch * height);
}

cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned) {
  const bool valid = address != nullptr && bytes > 0 && !simt::is_device_pointer(address);
  if (!valid) return result(cudaErrorInvalidValue);
  simt::registered().add(address, bytes);
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* address) {
  if (address == nullptr) return result(cudaErrorInvalidValue);
  simt::registered().remove(address);
  return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void** device_address, void* host_address, unsigned flags) {
  const bool valid = device_address != nullptr && host_address != nullptr && flags == 0;
  if (!valid) return result(cudaErrorInvalidValue);
  *device_address = host_address;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  if (attributes == nullptr) return result(cudaErrorInvalidValue);
  auto* pointer = const_cast<void*>(address);
  *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, pointer};
  if (simt::is_managed_pointer(address)) {
    *attributes = {cudaMemoryTypeManaged, simt::device_of_memory(address), pointer, pointer};
  } else if (simt::is_device_pointer(address)) {
    *attributes = {cudaMemoryTypeDevice, simt::device_of_memory(address), pointer, nullptr};
  } else if (simt::pinned().contains(address) || simt::is_mapped_pointer(address)) {
    *attributes = {cudaMemoryTypeHost, simt::current_device(), pointer, pointer};
  }
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* address) {
  if (address == nullptr || simt::free_pinned(address)) return cudaSuccess;
  return result(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return result(cudaErrorInvalidValue);
  simt::device_memory_info(free_bytes, total_bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  SIMT_HOST_CALL;
  return result(simt::copy_checked(to, from, bytes, kind));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  SIMT_HOST_CALL;
  const auto copy = [=] { return cudaMemcpy(to, from, bytes, kind); };
  if (simt::capture_call(stream, cudaGraphNodeTypeMemcpy, copy)) return cudaSuccess;
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  SIMT_HOST_CALL;
  if (width > to_pitch || width > from_pitch) return result(cudaErrorInvalidPitchValue);
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        cudaMemcpy(static_cast<char*>(to) + row * to_pitch,
                   static_cast<const char*>(from) + row * from_pitch, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  SIMT_HOST_CALL;
  const auto copy = [=] {
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
  };
  if (simt::capture_call(stream, cudaGraphNodeTypeMemcpy, copy)) return cudaSuccess;
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemset(void* address, int value, std::size_t bytes) {
  SIMT_HOST_CALL;
  if (bytes == 0) return cudaSuccess;
  if (address == nullptr || !simt::device_may_use(address)) return result(cudaErrorInvalidValue);
  return result(simt::fill(address, value, bytes));
}

cudaError_t cudaMemsetAsync(void* address, int value, std::size_t bytes, cudaStream_t stream) {
  SIMT_HOST_CALL;
  const auto fill = [=] { return cudaMemset(address, value, bytes); };
  if (simt::capture_call(stream, cudaGraphNodeTypeMemset, fill)) return cudaSuccess;
  return cudaMemset(address, value, bytes);
}

cudaError_t cudaMemset2D(void* address, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  SIMT_HOST_CALL;
  if (width > pitch) return result(cudaErrorInvalidPitchValue);
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = cudaMemset(static_cast<char*>(address) + row * pitch, value, width);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemset2DAsync(void* address, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  SIMT_HOST_CALL;
  const auto fill = [=] { return cudaMemset2D(address, pitch, value, width, height); };
  if (simt::capture_call(stream, cudaGraphNodeTypeMemset, fill)) return cudaSuccess;
  return cudaMemset2D(address, pitch, value, width, height);
}

namespace {

cudaError_t need_managed(const void* address) {
  return result(simt::is_managed_pointer(address) ? cudaSuccess : cudaErrorInvalidValue);
}

}  // namespace

cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* address, std::size_t, unsigned flags) {
  const bool known =
      flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
  return result(address != nullptr && known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPrefetchAsync(const void* address, std::size_t, cudaMemLocation, unsigned,
                                 cudaStream_t) {
  return need_managed(address);
}
cudaError_t cudaMemPrefetchAsync(const void* address, std::size_t, int, cudaStream_t) {
  return need_managed(address);
}
cudaError_t cudaMemAdvise(const void* address, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
  return need_managed(address);
}
cudaError_t cudaMemAdvise(const void* address, std::size_t, cudaMemoryAdvise, int) {
  return need_managed(address);
}
