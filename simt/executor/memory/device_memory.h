/// \file
/// The executor's global memory: one arena, with a byte of state for each byte.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <shared_mutex>
#include <string>
#include <vector>

#include "simt/executor/address_span.h"
#include "simt/executor/counters.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/memory/arena.h"
#include "simt/executor/system/fork_lock.h"

namespace simt {

/// Allocates and frees device memory, and knows what lies where. May be used by several threads.
///
/// Several devices share the arena: each has a region of it, as large as the others', and so has
/// what belongs to none of them, which is managed memory and the places of the host's. A single
/// device has the whole. Small allocations lie by themselves at the beginning of each region,
/// others behind them, as long as there is room.
class DeviceMemory {
 public:
  /// The only one.
  static DeviceMemory& instance();

  /// Returns CUDA error codes.
  int allocate(void** address, std::size_t bytes, std::size_t element_bytes, bool managed);
  /// Keeps addresses of the calling thread's device for memory that allocate_at() gives and
  /// release() takes, as often as it is wanted there. Returns CUDA error codes.
  int reserve(void** address, std::size_t bytes);
  /// The memory at addresses that were reserved for it, as allocate() gives it: nobody has written
  /// it. False while it is allocated.
  bool allocate_at(void* address, std::size_t bytes, std::size_t element_bytes);
  /// As cudaFree() does: returns its error code, and reports what is freed twice or was never
  /// allocated.
  int release(void* address);
  /// As cudaDeviceReset() does on the calling thread's device.
  void release_all();
  /// What has not been released, by the line that allocated it.
  std::vector<UnfreedMemory> unfreed() const;
  /// As cudaMemGetInfo() does, of the calling thread's device.
  void usage(std::size_t* free_bytes, std::size_t* total_bytes) const;

  /// Addresses for `bytes` that lie elsewhere, `past` a multiple of 256: nothing is there. 0 where
  /// there is no room.
  std::uintptr_t take_place(std::size_t bytes, std::size_t past, std::size_t element_bytes);
  /// The other half of take_place().
  void give_back_place(std::uintptr_t place, std::size_t bytes);

  /// Counts [address, address + bytes) of an allocation by elements of this size.
  void set_element_size(std::uintptr_t address, std::size_t bytes, std::size_t element_bytes);

  /// The addresses around `address` that count by elements of one size.
  struct ElementRange {
    std::uintptr_t begin = 0;       ///< the lowest address
    std::uintptr_t end = 0;         ///< behind the highest
    std::size_t element_bytes = 1;  ///< the size of one
    bool is_outside = false;        ///< of any allocation
  };
  /// The range that this address lies in.
  ElementRange elements_at(std::uintptr_t address) const;
  /// Changes whenever an answer of elements_at() may.
  std::uint64_t version() const { return version_; }

  /// Whether host code may dereference it, too.
  bool is_managed(std::uintptr_t address) const;
  /// The device that was current when it was allocated; 0 where nothing is.
  int device_of(std::uintptr_t address) const;
  /// Where an address lies: "byte 400 of an allocation of 400 bytes", or what was there.
  std::string describe(std::uintptr_t address) const;
  /// Whether it lies in memory that was allocated once and has been freed.
  bool was_released(std::uintptr_t address) const;
  /// Where the memory at this address, or before it, was allocated and freed.
  Notes history(std::uintptr_t address) const;

 private:
  static constexpr std::size_t kAlignment = 256;  // what cudaMalloc promises
  static constexpr std::size_t kRedZone = 256;
  static constexpr std::size_t kSmallBytes = std::size_t{64} << 10;
  // Released memory is kept from reuse until this much more was released, so that use after free is
  // seen.
  static constexpr std::size_t kQuarantineBytes = std::size_t{64} << 20;

  struct Allocation {
    std::size_t bytes;     ///< asked for
    std::size_t reserved;  ///< with the red zone
    bool managed;
    int device;                       ///< that was current
    std::uintptr_t allocated_at = 0;  ///< in the code; 0 where that is not known
    std::uintptr_t freed_at = 0;
    bool keeps_place = false;  ///< its addresses stay reserved when it is released
  };
  using Allocations = std::map<std::size_t, Allocation>;  // by offset

  struct Region {
    std::size_t begin_of_large = 0;  // an offset, as below
    std::size_t bytes = 0;
    std::size_t in_use = 0;
    std::map<std::size_t, std::size_t> free = {};  // offset, bytes
  };

  DeviceMemory();
  void begin(std::size_t offset, const Allocation& allocation, std::size_t element_bytes);
  void release_found(Allocations::const_iterator found);
  void report_wrong_release(std::uintptr_t address) const;
  static std::string refusal(const Region& region, std::size_t bytes);
  Region& region_at(std::size_t offset);
  std::string text_of(std::uintptr_t address) const;
  static Notes history_of(const Allocation* allocation);
  const Allocation* allocation_before(std::uintptr_t address) const;
  static std::size_t reserved_for(std::size_t bytes);
  void add_free(std::size_t offset, std::size_t bytes);
  static std::size_t take_free(Region& region, std::size_t bytes, std::size_t from = 0);
  std::size_t take_free_or_quarantined(Region& region, std::size_t bytes);
  void end_quarantine_of_oldest();
  Allocations::const_iterator find(std::uintptr_t address) const;

  mutable ForkLock<std::shared_mutex> mutex_;
  std::size_t quarantined_ = 0;
  std::atomic<std::uint64_t> version_ = 1;
  Allocations allocations_;
  std::vector<Region> regions_;  // of the devices, and of several the one that belongs to none
  std::deque<std::pair<std::size_t, Allocation>> quarantine_;
  std::map<std::uintptr_t, ElementRange> elements_;  // by begin
};

/// Whose memory the address is, which lies in the arena: the number of a device, or
/// device_count() for what belongs to none of several.
int owner_of_memory(std::uintptr_t address);
/// The addresses that memory of a device has.
AddressSpan memory_of_device(int device);
/// The same without those where small allocations lie.
AddressSpan memory_of_large(int device);

/// Decides of bytes that somebody may have written unseen whether they were, by what they hold:
/// those in the state kMaybeWritten, and once a launch ran unseen, those that are kUnwritten.
void find_unseen_writes(std::uintptr_t address, std::size_t bytes);
/// From now on, launches may write memory without a hook that sees it.
void expect_unseen_writes();

}  // namespace simt
