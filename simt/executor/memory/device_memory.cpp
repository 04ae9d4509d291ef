#include "simt/executor/memory/device_memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "simt/executor/devices.h"
#include "simt/executor/executor.h"
#include "simt/executor/findings/host_call.h"
#include "simt/executor/findings/source_lines.h"
#include "simt/executor/memory/device_variables.h"
#include "simt/executor/memory/mapped_memory.h"
#include "simt/executor/system/address_space.h"
#include "simt/executor/system/machine_memory.h"

namespace simt {

constinit Arena arena = {};

namespace {

constexpr std::size_t kNoSpace = ~std::size_t{0};

// An allocation takes its own bytes and their states, at once.
constexpr std::uint64_t kBytesForEach = 2;
// For less than this the machine is not asked what it has.
constexpr std::size_t kWorthAsking = std::size_t{64} << 20;

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

// The host may write managed memory through library functions, and a launch that runs plain any
// memory, which nobody sees. Words that still hold this were not written: as a float, a double, a
// half or a bfloat16 it is no number, and no program writes it by chance.
constexpr std::uint32_t kNeverWritten = 0xffd5ffe3;

// The arena's pages and what is allocated in them are aligned to words. ThreadSanitizer would
// remember each of these stores, in several times as much memory.
[[gnu::no_sanitize_thread]] void fill_with_pattern(char* at, std::size_t bytes) {
  auto* const words = reinterpret_cast<std::uint32_t*>(at);
  const std::size_t count = bytes / sizeof kNeverWritten;
  for (std::size_t i = 0; i < count; ++i)
    words[i] = kNeverWritten;
  std::memset(words + count, 0xff, bytes % sizeof kNeverWritten);
}

// Whether a launch may have written memory of which no hook told.
std::atomic<bool> some_writes_are_unseen = false;

bool has_pattern(std::uintptr_t word) {
  return std::memcmp(reinterpret_cast<const void*>(word), &kNeverWritten, sizeof kNeverWritten) ==
         0;
}

// ---- regions ----

unsigned number_of_regions() {
  const auto devices = static_cast<unsigned>(device_count());
  return devices == 1 ? 1 : devices + 1;
}

// The last has the rest.
std::size_t bytes_of_region() {
  constexpr std::size_t kUnit = std::size_t{1} << 20;
  static const std::size_t bytes = Arena::kBytes / number_of_regions() / kUnit * kUnit;
  return bytes;
}

unsigned region_number(std::size_t offset) {
  return static_cast<unsigned>(
      std::min(offset / bytes_of_region(), std::size_t{number_of_regions() - 1}));
}

AddressSpan span_of_region(unsigned number) {
  const std::size_t begin = number * bytes_of_region();
  const bool is_last = number + 1 == number_of_regions();
  return {arena.begin + begin, is_last ? Arena::kBytes - begin : bytes_of_region()};
}

}  // namespace

int owner_of_memory(std::uintptr_t address) {
  return static_cast<int>(region_number(address - arena.begin));
}

AddressSpan memory_of_device(int device) {
  return span_of_region(static_cast<unsigned>(device));
}

AddressSpan memory_of_large(int device) {
  constexpr std::size_t kPartOfSmall = 16;
  const AddressSpan all = memory_of_device(device);
  const std::size_t small = all.bytes / kPartOfSmall;
  return {all.begin + small, all.bytes - small};
}

DeviceMemory& DeviceMemory::instance() {
  static DeviceMemory& memory = *new DeviceMemory;
  return memory;
}

DeviceMemory::DeviceMemory() {
  char* range = static_cast<char*>(reserve_address_space(Arena::kBytes + 2 * Arena::kGuardBytes));
  forbid_access(range, Arena::kGuardBytes);
  forbid_access(range + Arena::kGuardBytes + Arena::kBytes, Arena::kGuardBytes);
  arena.begin = number(range + Arena::kGuardBytes);
  arena.states_of_bytes = static_cast<std::uint8_t*>(reserve_address_space(Arena::kBytes));
  for (unsigned number = 0; number < number_of_regions(); ++number) {
    const AddressSpan span = span_of_region(number);
    const AddressSpan large = memory_of_large(static_cast<int>(number));
    Region& region = regions_.emplace_back(
        Region{.begin_of_large = large.begin - arena.begin, .bytes = span.bytes});
    region.free[span.begin - arena.begin + kRedZone] = span.bytes - kRedZone;
  }
}

// ---- allocation ----

int DeviceMemory::allocate(void** address, std::size_t bytes, std::size_t element_bytes,
                           bool managed) {
  if (address == nullptr) return kErrorInvalidValue;
  *address = nullptr;
  if (bytes == 0) return 0;
  const std::lock_guard lock(mutex_);
  const int device = current_device();
  Region& region = managed ? regions_.back() : regions_[static_cast<unsigned>(device)];
  if (const std::string why = refusal(region, bytes); !why.empty()) {
    note_in_host_code("failed-allocation",
                      "cudaMalloc of " + std::to_string(bytes) + " bytes fails: " + why);
    return kErrorMemoryAllocation;
  }
  const std::size_t reserved = reserved_for(bytes);
  const std::size_t offset = take_free_or_quarantined(region, reserved);
  if (offset == kNoSpace) {
    note_in_host_code("failed-allocation",
                      "cudaMalloc of " + std::to_string(bytes) +
                          " bytes fails: no free range of device memory is that large");
    return kErrorMemoryAllocation;
  }

  begin(offset, {bytes, reserved, managed, device, HostCall::place()}, element_bytes);
  *address = reinterpret_cast<void*>(arena.begin + offset);
  return 0;
}

void DeviceMemory::begin(std::size_t offset, const Allocation& allocation,
                         std::size_t element_bytes) {
  const std::uintptr_t address = arena.begin + offset;
  const std::size_t bytes = allocation.bytes;
  allocations_[offset] = allocation;
  region_at(offset).in_use += allocation.reserved;
  fill_with_pattern(reinterpret_cast<char*>(address), bytes);
  std::memset(arena.states_of_bytes + offset, allocation.managed ? kMaybeWritten : kUnwritten,
              bytes);
  elements_[address] = {address, address + bytes, element_bytes};
  ++version_;
}

int DeviceMemory::reserve(void** address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  Region& region = regions_[static_cast<unsigned>(current_device())];
  if (!refusal(region, bytes).empty()) return kErrorMemoryAllocation;
  const std::size_t offset = take_free_or_quarantined(region, reserved_for(bytes));
  if (offset == kNoSpace) return kErrorMemoryAllocation;
  *address = reinterpret_cast<void*>(arena.begin + offset);
  return 0;
}

bool DeviceMemory::allocate_at(void* address, std::size_t bytes, std::size_t element_bytes) {
  const std::lock_guard lock(mutex_);
  const std::size_t offset = number(address) - arena.begin;
  if (allocations_.count(offset) != 0) return false;
  std::erase_if(quarantine_, [offset](const auto& released) { return released.first == offset; });
  Allocation allocation = {bytes, reserved_for(bytes), false, current_device(), HostCall::place()};
  allocation.keeps_place = true;
  begin(offset, allocation, element_bytes);
  return true;
}

DeviceMemory::Region& DeviceMemory::region_at(std::size_t offset) {
  return regions_[region_number(offset)];
}

// Why there is no such memory; empty if there is.
std::string DeviceMemory::refusal(const Region& region, std::size_t bytes) {
  if (bytes > region.bytes - region.in_use) {
    return "the device has " + std::to_string(region.bytes) + " bytes, of which " +
           std::to_string(region.bytes - region.in_use) + " are free";
  }
  if (bytes < kWorthAsking) return "";
  const std::uint64_t available = available_machine_memory();
  if (bytes <= available / kBytesForEach) return "";
  return "the machine has " + std::to_string(available) +
         " bytes of memory left, and each byte of device memory takes " +
         std::to_string(kBytesForEach);
}

int DeviceMemory::release(void* address) {
  if (address == nullptr) return 0;
  const std::unique_lock lock(mutex_);
  const auto found = allocations_.find(number(address) - arena.begin);
  if (found == allocations_.end()) {
    report_wrong_release(number(address));
    return kErrorInvalidValue;
  }
  release_found(found);
  while (quarantined_ > kQuarantineBytes)
    end_quarantine_of_oldest();
  return 0;
}

void DeviceMemory::release_found(Allocations::const_iterator found) {
  auto [offset, allocation] = *found;
  allocation.freed_at = HostCall::place();
  allocations_.erase(found);
  std::memset(arena.states_of_bytes + offset, kUnallocated, allocation.bytes);
  elements_.erase(elements_.lower_bound(arena.begin + offset),
                  elements_.lower_bound(arena.begin + offset + allocation.bytes));
  ++version_;
  region_at(offset).in_use -= allocation.reserved;
  if (!allocation.keeps_place) quarantined_ += allocation.reserved;
  quarantine_.emplace_back(offset, allocation);
}

void DeviceMemory::release_all() {
  const std::lock_guard lock(mutex_);
  const int device = current_device();
  for (auto next = allocations_.begin(); next != allocations_.end();) {
    const auto each = next++;
    if (each->second.device == device) release_found(each);
  }
  while (quarantined_ > kQuarantineBytes)
    end_quarantine_of_oldest();
}

void DeviceMemory::report_wrong_release(std::uintptr_t address) const {
  const Allocation* allocation = allocation_before(address);
  const bool freed = allocation != nullptr && allocation->freed_at != 0;
  const bool twice = std::any_of(quarantine_.begin(), quarantine_.end(), [&](const auto& released) {
    return released.first == address - arena.begin;
  });
  report(twice ? "double-free" : "invalid-free", {},
         twice ? "cudaFree of memory that was freed before: " + text_of(address)
               : "cudaFree of an address that cudaMalloc did not return: " + text_of(address),
         twice || !freed ? history_of(allocation) : Notes{});
}

std::vector<UnfreedMemory> DeviceMemory::unfreed() const {
  const std::shared_lock lock(mutex_);
  std::map<std::uintptr_t, UnfreedMemory> by_place;
  for (const auto& [offset, allocation] : allocations_) {
    UnfreedMemory& sum = by_place[allocation.allocated_at];
    ++sum.allocations;
    sum.bytes += allocation.bytes;
  }
  std::vector<UnfreedMemory> all;
  for (const auto& [place, sum] : by_place) {
    const std::string line = place != 0 ? source_line(place) : "unknown line";
    // A line may have several calls.
    const auto known = std::find_if(all.begin(), all.end(), [&](const UnfreedMemory& memory) {
      return memory.allocated_at == line;
    });
    UnfreedMemory& of_line = known != all.end() ? *known : all.emplace_back();
    of_line.allocated_at = line;
    of_line.allocations += sum.allocations;
    of_line.bytes += sum.bytes;
  }
  return all;
}

void DeviceMemory::end_quarantine_of_oldest() {
  const auto [offset, allocation] = quarantine_.front();
  quarantine_.pop_front();
  if (allocation.keeps_place) return;
  quarantined_ -= allocation.reserved;
  add_free(offset, allocation.reserved);
}

void DeviceMemory::add_free(std::size_t offset, std::size_t bytes) {
  auto& free = region_at(offset).free;
  auto next = free.lower_bound(offset);
  if (next != free.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = free.erase(next);
  }
  if (next != free.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  free[offset] = bytes;
}

std::size_t DeviceMemory::reserved_for(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment + kRedZone;
}

std::size_t DeviceMemory::take_free_or_quarantined(Region& region, std::size_t bytes) {
  std::size_t offset = kNoSpace;
  if (bytes > reserved_for(kSmallBytes)) offset = take_free(region, bytes, region.begin_of_large);
  if (offset == kNoSpace) offset = take_free(region, bytes);
  while (offset == kNoSpace && !quarantine_.empty()) {
    end_quarantine_of_oldest();
    offset = take_free(region, bytes);
  }
  return offset;
}

// First fit, of what lies behind `from`.
std::size_t DeviceMemory::take_free(Region& region, std::size_t bytes, std::size_t from) {
  for (auto range = region.free.begin(); range != region.free.end(); ++range) {
    const auto [begin, available] = *range;
    const std::size_t end = begin + available;
    const std::size_t offset = std::max(begin, from);
    if (end < offset + bytes) continue;
    region.free.erase(range);
    if (offset > begin) region.free[begin] = offset - begin;
    if (end > offset + bytes) region.free[offset + bytes] = end - (offset + bytes);
    return offset;
  }
  return kNoSpace;
}

void DeviceMemory::usage(std::size_t* free_bytes, std::size_t* total_bytes) const {
  const std::shared_lock lock(mutex_);
  const Region& region = regions_[static_cast<unsigned>(current_device())];
  if (free_bytes != nullptr) *free_bytes = region.bytes - region.in_use;
  if (total_bytes != nullptr) *total_bytes = region.bytes;
}

// ---- what an address is ----

DeviceMemory::Allocations::const_iterator DeviceMemory::find(std::uintptr_t address) const {
  auto after = allocations_.upper_bound(address - arena.begin);
  if (after == allocations_.begin()) return allocations_.end();
  --after;
  return address - arena.begin - after->first < after->second.bytes ? after : allocations_.end();
}

bool DeviceMemory::is_managed(std::uintptr_t address) const {
  const std::shared_lock lock(mutex_);
  const auto found = find(address);
  return found != allocations_.end() && found->second.managed;
}

int DeviceMemory::device_of(std::uintptr_t address) const {
  const std::shared_lock lock(mutex_);
  const auto found = find(address);
  return found == allocations_.end() ? 0 : found->second.device;
}

bool DeviceMemory::was_released(std::uintptr_t address) const {
  const std::shared_lock lock(mutex_);
  for (const auto& [offset, allocation] : quarantine_) {
    if (address - arena.begin - offset < allocation.bytes) return true;
  }
  return false;
}

std::string DeviceMemory::describe(std::uintptr_t address) const {
  const std::shared_lock lock(mutex_);
  return text_of(address);
}

std::string DeviceMemory::text_of(std::uintptr_t address) const {
  const std::size_t at = address - arena.begin;
  for (const auto& [offset, allocation] : quarantine_) {
    if (at - offset < allocation.bytes) {
      return "byte " + std::to_string(at - offset) + " of an allocation of " +
             std::to_string(allocation.bytes) + " bytes that was freed";
    }
  }
  if (!arena.contains(address)) {
    const std::string variable = describe_variable(address);
    return variable.empty() ? "an address outside device memory" : variable;
  }
  std::string mapped = describe_mapped_memory(address);
  if (!mapped.empty()) return mapped;
  auto after = allocations_.upper_bound(at);
  if (after != allocations_.begin()) {
    const auto& [offset, allocation] = *std::prev(after);
    const bool is_one_of_several = device_count() > 1 && !allocation.managed;
    return "byte " + std::to_string(at - offset) + " of an allocation of " +
           std::to_string(allocation.bytes) + " bytes" +
           (is_one_of_several ? " of device " + std::to_string(allocation.device) : "");
  }
  if (after != allocations_.end()) {
    return std::to_string(after->first - at) + " bytes before an allocation of " +
           std::to_string(after->second.bytes) + " bytes";
  }
  return "device memory in which nothing is allocated";
}

// The one that contains the address, or else the last one before it, as describe() chooses.
const DeviceMemory::Allocation* DeviceMemory::allocation_before(std::uintptr_t address) const {
  if (!arena.contains(address)) return nullptr;
  const std::size_t at = address - arena.begin;
  for (const auto& [offset, allocation] : quarantine_) {
    if (at - offset < allocation.bytes) return &allocation;
  }
  const auto after = allocations_.upper_bound(at);
  return after == allocations_.begin() ? nullptr : &std::prev(after)->second;
}

Notes DeviceMemory::history(std::uintptr_t address) const {
  const std::shared_lock lock(mutex_);
  return history_of(allocation_before(address));
}

Notes DeviceMemory::history_of(const Allocation* allocation) {
  Notes notes;
  if (allocation == nullptr) return notes;
  if (allocation->allocated_at != 0)
    notes.push_back({{{}, allocation->allocated_at}, "allocated here"});
  if (allocation->freed_at != 0) notes.push_back({{{}, allocation->freed_at}, "freed here"});
  return notes;
}

// ---- places of memory that lies elsewhere ----

std::uintptr_t DeviceMemory::take_place(std::size_t bytes, std::size_t past,
                                        std::size_t element_bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > Arena::kBytes) return 0;
  const std::size_t offset = take_free_or_quarantined(regions_.back(), reserved_for(past + bytes));
  if (offset == kNoSpace) return 0;
  const std::uintptr_t place = arena.begin + offset + past;
  elements_[place] = {place, place + bytes, element_bytes};
  ++version_;
  return place;
}

void DeviceMemory::give_back_place(std::uintptr_t place, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  elements_.erase(place);
  ++version_;
  const std::size_t offset = (place - arena.begin) / kAlignment * kAlignment;
  add_free(offset, reserved_for(place - arena.begin - offset + bytes));
}

// ---- element sizes ----

void DeviceMemory::set_element_size(std::uintptr_t address, std::size_t bytes,
                                    std::size_t element_bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0 || element_bytes == 0) return;
  const std::uintptr_t end = address + bytes;
  // Cut what overlaps the range on either side.
  for (const std::uintptr_t cut : {address, end}) {
    auto after = elements_.upper_bound(cut);
    if (after == elements_.begin()) continue;
    ElementRange& range = std::prev(after)->second;
    if (range.begin < cut && cut < range.end) {
      elements_[cut] = {cut, range.end, range.element_bytes};
      range.end = cut;
    }
  }
  elements_.erase(elements_.lower_bound(address), elements_.lower_bound(end));
  elements_[address] = {address, end, element_bytes};
  ++version_;
}

DeviceMemory::ElementRange DeviceMemory::elements_at(std::uintptr_t address) const {
  const std::shared_lock lock(mutex_);
  const auto after = elements_.upper_bound(address);
  if (after != elements_.begin()) {
    const ElementRange& range = std::prev(after)->second;
    if (address < range.end) return range;
  }
  return {address, address + 1, 1, true};
}

// ---- the interface ----

void find_unseen_writes(std::uintptr_t address, std::size_t bytes) {
  const bool by_launches = some_writes_are_unseen;
  for (std::uintptr_t byte = address; byte < address + bytes; ++byte) {
    std::uint8_t* const state = arena.states(byte);
    if (*state != kMaybeWritten && !(by_launches && *state == kUnwritten)) continue;
    // The last bytes of an allocation may be less than a word, and have no pattern.
    const std::uintptr_t word = byte / 4 * 4;
    const bool whole = *arena.states(word + 3) != kUnallocated;
    *state = whole && has_pattern(word) ? kUnwritten : kWritten;
  }
}

void expect_unseen_writes() {
  some_writes_are_unseen = true;
}

int device_malloc(void** address, std::size_t bytes, std::size_t element_bytes) {
  return DeviceMemory::instance().allocate(address, bytes, element_bytes, false);
}

int managed_malloc(void** address, std::size_t bytes, std::size_t element_bytes) {
  return DeviceMemory::instance().allocate(address, bytes, element_bytes, true);
}

int device_free(void* address) {
  const int error = DeviceMemory::instance().release(address);
  if (error != 0) publish_findings_of(current_device());
  return error;
}

bool is_device_pointer(const void* address) {
  return arena.contains(number(address));
}

int device_of_memory(const void* address) {
  return DeviceMemory::instance().device_of(number(address));
}

bool is_managed_pointer(const void* address) {
  return arena.contains(number(address)) && DeviceMemory::instance().is_managed(number(address));
}

void set_element_size(const void* address, std::size_t bytes, std::size_t element_bytes) {
  DeviceMemory::instance().set_element_size(number(address), bytes, element_bytes);
}

void device_memory_info(std::size_t* free_bytes, std::size_t* total_bytes) {
  DeviceMemory::instance().usage(free_bytes, total_bytes);
}

namespace {

// The first byte of a range that has not at least this state; `bytes` if all have.
std::size_t first_below(std::uintptr_t address, std::size_t bytes, ByteState state) {
  const std::uint8_t* states = arena.states(address);
  if (states[0] < state) return 0;
  const std::size_t there = std::min(bytes, Arena::kBytes - (address - arena.begin));
  // The last one first: a range may be as long as the arena.
  const bool all_equal = there == bytes && states[bytes - 1] == states[0] &&
                         std::memcmp(states, states + 1, bytes - 1) == 0;
  if (all_equal) return bytes;
  std::size_t i = 0;
  while (i < there && states[i] >= state)
    ++i;
  return i;
}

bool range_is_allocated(std::uintptr_t address, std::size_t bytes, const char* call) {
  const std::size_t end = first_below(address, bytes, kUnwritten);
  if (end == bytes) return true;
  report("copy-out-of-bounds", {},
         std::string(call) + " of " + std::to_string(bytes) + " bytes at " +
             DeviceMemory::instance().describe(address) + " reaches " +
             DeviceMemory::instance().describe(address + end),
         DeviceMemory::instance().history(address));
  return false;
}

// Reports the first byte of a range that nobody wrote, if there is one.
void check_was_written(std::uintptr_t address, std::size_t bytes, const char* call) {
  std::size_t unwritten = first_below(address, bytes, kWritten);
  if (unwritten == bytes) return;
  find_unseen_writes(address, bytes);
  unwritten = first_below(address, bytes, kWritten);
  if (unwritten == bytes) return;
  const DeviceMemory& memory = DeviceMemory::instance();
  report("uninitialized-copy", {},
         std::string(call) + " reads " + memory.describe(address + unwritten) +
             ", which was never written",
         memory.history(address));
}

bool may_read(std::uintptr_t address, std::size_t bytes, const char* call) {
  if (!arena.contains(address)) return true;
  if (!range_is_allocated(address, bytes, call)) return false;
  check_was_written(address, bytes, call);
  return true;
}

bool may_write(std::uintptr_t address, std::size_t bytes, const char* call) {
  if (!arena.contains(address)) return true;
  if (!range_is_allocated(address, bytes, call)) return false;
  std::memset(arena.states(address), kWritten, bytes);
  return true;
}

// From the first byte of the first to the last byte of the last, or more than there can be.
std::size_t bytes_of(const MemoryPieces& pieces) {
  if (pieces.bytes == 0 || pieces.count == 0) return 0;
  std::size_t before_last = 0;
  if (__builtin_mul_overflow(pieces.count - 1, pieces.distance, &before_last) ||
      before_last > Arena::kBytes) {
    return Arena::kBytes;
  }
  return before_last + pieces.bytes;
}

}  // namespace

int copy(void* to, const void* from, std::size_t bytes, const char* call) {
  if (bytes == 0) return 0;
  if (to == nullptr || from == nullptr) return kErrorInvalidValue;
  if (!may_read(number(from), bytes, call) || !may_write(number(to), bytes, call)) {
    return kErrorInvalidValue;
  }
  std::memmove(to, from, bytes);
  publish_findings_of(current_device());
  return 0;
}

int check_library_read(const MemoryPieces& pieces, const char* call) {
  const std::uintptr_t begin = number(pieces.begin);
  const std::size_t all = bytes_of(pieces);
  if (all == 0 || !arena.contains(begin)) return 0;
  const bool is_allocated = range_is_allocated(begin, all, call);
  // What lies between the pieces may have been left as it was.
  if (is_allocated && first_below(begin, all, kWritten) < all) {
    for (std::size_t i = 0; i < pieces.count; ++i)
      check_was_written(begin + i * pieces.distance, pieces.bytes, call);
  }
  publish_findings_of(current_device());
  return is_allocated ? 0 : kErrorInvalidValue;
}

int check_library_write(const MemoryPieces& pieces, const char* call) {
  const std::uintptr_t begin = number(pieces.begin);
  const std::size_t all = bytes_of(pieces);
  if (all == 0 || !arena.contains(begin)) return 0;
  const bool is_allocated = range_is_allocated(begin, all, call);
  for (std::size_t i = 0; is_allocated && i < pieces.count; ++i)
    std::memset(arena.states(begin + i * pieces.distance), kWritten, pieces.bytes);
  publish_findings_of(current_device());
  return is_allocated ? 0 : kErrorInvalidValue;
}

int fill(void* to, int byte, std::size_t bytes) {
  if (bytes == 0) return 0;
  if (to == nullptr) return kErrorInvalidValue;
  if (!may_write(number(to), bytes, "cudaMemset")) return kErrorInvalidValue;
  std::memset(to, byte, bytes);
  return 0;
}

void free_all_device_memory() {
  DeviceMemory::instance().release_all();
}

std::vector<UnfreedMemory> unfreed_memory() {
  return arena.states_of_bytes == nullptr ? std::vector<UnfreedMemory>{}
                                          : DeviceMemory::instance().unfreed();
}

namespace {

// After all destructors of static objects, which may free some.
[[gnu::destructor]] void note_unfreed_memory() {
  for (const UnfreedMemory& memory : unfreed_memory()) {
    publish_note("unfreed-memory", memory.allocated_at,
                 std::to_string(memory.bytes) + " bytes of device memory in " +
                     std::to_string(memory.allocations) +
                     (memory.allocations == 1 ? " allocation" : " allocations") +
                     " were never freed");
  }
}

}  // namespace

}  // namespace simt
