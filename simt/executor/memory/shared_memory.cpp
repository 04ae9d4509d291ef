#include "simt/executor/memory/shared_memory.h"

#include <algorithm>
#include <cstring>

#include "simt/executor/system/address_space.h"

namespace simt {
namespace {

constexpr std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace

SharedMemory::~SharedMemory() {
  release();
}

void SharedMemory::release() {
  if (memory_ == nullptr) return;
  release_address_space(memory_, reserved_slots_ * kSlotBytes);
  release_address_space(cells_, reserved_slots_ * kSlotBytes * sizeof(SharedByte));
  release_address_space(words_, reserved_slots_ * kSlotWords * sizeof(SharedByte));
  release_address_space(apart_, reserved_slots_ * kSlotWords);
  release_address_space(atomics_, reserved_slots_ * kSlotBytes * sizeof(LastAccess));
}

// A cooperative grid takes more than a cluster can have.
void SharedMemory::reserve(unsigned slots) {
  if (slots <= reserved_slots_) return;
  release();
  reserved_slots_ = std::max(slots, kMaxSlots);
  memory_ = static_cast<char*>(reserve_address_space(reserved_slots_ * kSlotBytes));
  cells_ = static_cast<SharedByte*>(
      reserve_address_space(reserved_slots_ * kSlotBytes * sizeof(SharedByte)));
  words_ = static_cast<SharedByte*>(
      reserve_address_space(reserved_slots_ * kSlotWords * sizeof(SharedByte)));
  apart_ = static_cast<std::uint8_t*>(reserve_address_space(reserved_slots_ * kSlotWords));
  atomics_ = static_cast<LastAccess*>(
      reserve_address_space(reserved_slots_ * kSlotBytes * sizeof(LastAccess)));
  belongs_.resize(kSlotBytes);
}

void SharedMemory::begin_launch(unsigned slots, std::size_t dynamic_bytes, std::size_t most_bytes) {
  reserve(slots);
  std::fill_n(belongs_.begin(), used_, 0);
  std::fill_n(belongs_.begin() + kRedZone, dynamic_bytes, 1);
  bytes_ = slots * kSlotBytes;
  dynamic_bytes_ = dynamic_bytes;
  most_bytes_ = most_bytes;
  static_bytes_ = 0;
  used_ = round_up(kRedZone + dynamic_bytes, kAlignment) + kRedZone;
  placed_.clear();
  atomics_used_ = false;
}

void SharedMemory::begin_block(unsigned slot) {
  std::memset(slot_begin(slot), 0xff, used_);
}

void* SharedMemory::find_or_place(unsigned slot, const SharedVariable& variable) {
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    if (placed_[i].variable != &variable) continue;
    last_found_ = i;
    return slot_begin(slot) + placed_[i].offset;
  }
  const std::size_t alignment = std::max(kAlignment, variable.alignment);
  const std::size_t offset = round_up(used_, alignment);
  const std::size_t end = round_up(offset + variable.bytes, kAlignment) + kRedZone;
  static_bytes_ += variable.bytes;
  if (static_bytes_ > kMaxStaticShared || static_bytes_ + dynamic_bytes_ > most_bytes_ ||
      end > kSlotBytes) {
    return nullptr;
  }
  for (std::size_t begin = 0; begin < bytes_; begin += kSlotBytes) {
    std::memset(memory_ + begin + used_, 0xff, end - used_);
  }
  std::fill_n(belongs_.begin() + static_cast<std::ptrdiff_t>(offset), variable.bytes, 1);
  used_ = end;
  placed_.push_back({&variable, offset});
  return slot_begin(slot) + offset;
}

std::vector<SharedMemory::Object> SharedMemory::objects() const {
  std::vector<Object> objects;
  if (dynamic_bytes_ > 0) objects.push_back({"dynamic shared memory", kRedZone, dynamic_bytes_});
  for (const auto& [variable, offset] : placed_)
    objects.push_back({variable->name, offset, variable->bytes});
  return objects;
}

std::string SharedMemory::describe(std::size_t offset) const {
  const Placed* below = nullptr;
  for (const Placed& placed : placed_) {
    if (placed.offset <= offset) below = &placed;
  }
  if (below != nullptr) {
    return "byte " + std::to_string(offset - below->offset) + " of '" + below->variable->name +
           "', which has " + std::to_string(below->variable->bytes) + " bytes";
  }
  const auto byte = static_cast<std::ptrdiff_t>(offset) - static_cast<std::ptrdiff_t>(kRedZone);
  return "byte " + std::to_string(byte) + " of the dynamic shared memory, which has " +
         std::to_string(dynamic_bytes_) + " bytes";
}

void SharedMemory::take_apart(std::uintptr_t address) {
  const std::size_t word = word_of(address);
  if (apart_[word] != 0) return;
  apart_[word] = 1;
  std::fill_n(cells_ + word * kWordBytes, kWordBytes, words_[word]);
}

void SharedMemory::put_together(std::uintptr_t address) {
  const std::size_t word = word_of(address);
  words_[word] = cells_[word * kWordBytes];
  apart_[word] = 0;
}

void SharedMemory::forget_accesses() {
  if (cells_ == nullptr) return;
  // Of all launches so far, not only as much as the last one used.
  discard_pages(cells_, reserved_slots_ * kSlotBytes * sizeof(SharedByte));
  discard_pages(words_, reserved_slots_ * kSlotWords * sizeof(SharedByte));
  discard_pages(apart_, reserved_slots_ * kSlotWords);
  discard_pages(atomics_, reserved_slots_ * kSlotBytes * sizeof(LastAccess));
}

}  // namespace simt
