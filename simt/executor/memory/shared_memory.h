/// \file
/// The shared memory of the blocks that a worker runs: one slot for each block of a cluster, laid
/// out alike.
///
///     slot  | red zone | dynamic memory | red zone | static variable | red zone | static variable
///     | red zone | ...
///
/// Static variables are placed when the first thread reaches them and keep their place for the
/// launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/executor/address_span.h"
#include "simt/executor/executor.h"

namespace simt {

/// An H100's and H200's limits, in bytes.
constexpr std::size_t kMaxStaticShared = 48 * 1024;
constexpr std::size_t kMaxSharedWithoutOptIn =
    48 * 1024;  ///< static and dynamic together, without cudaFuncSetAttribute()
constexpr std::size_t kMaxShared = 227 * 1024;  ///< of a block, static and dynamic together

/// The last access of one kind to a byte, and when by the worker's clock.
struct LastAccess {
  /// Whether others made such accesses before this one, since the last time that all of them met.
  enum Others : std::uint16_t {
    kNone,    ///< none
    kLanes,   ///< of the same warp
    kWarps,   ///< of the same block
    kBlocks,  ///< of the same cluster
  };

  std::uint32_t time = 0;               ///< 0 if there was none
  std::uint32_t code = 0;               ///< the low bits of the address of its code
  std::uint16_t thread : 10 = 0;        ///< of the block; of an asynchronous store, its barrier
  std::uint16_t others : 2 = kNone;     ///< see Others
  std::uint16_t after_arrival : 1 = 0;  ///< at the cluster's barrier, which does not order it
  std::uint16_t is_async : 1 = 0;       ///< a store that only its barrier orders
  std::uint16_t block = 0;              ///< within the cluster
};

/// What the race checker knows of one byte, or of all bytes of a word.
struct SharedByte {
  LastAccess store;  ///< the last one
  LastAccess load;   ///< the last one
};

/// One worker's shared memory: a slot for each block of the cluster that it runs.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// Forgets all static variables and makes `slots` slots with this much dynamic memory. A block
  /// may have `most_bytes` of static and dynamic memory together.
  void begin_launch(unsigned slots, std::size_t dynamic_bytes, std::size_t most_bytes = kMaxShared);
  /// Fills the slot with NaN, as far as this launch has used it.
  void begin_block(unsigned slot);

  /// Where the dynamic shared memory of a slot begins.
  void* dynamic_memory(unsigned slot) const { return slot_begin(slot) + kRedZone; }
  /// Null when the variables of the kernel do not fit: needs_opt_in() says whether they would if
  /// the program had asked for more.
  void* static_variable(unsigned slot, const SharedVariable& variable) {
    // Lanes ask for all variables in turn: most often for the one after the last.
    const std::size_t next = last_found_ + 1 < placed_.size() ? last_found_ + 1 : 0;
    if (next >= placed_.size() || placed_[next].variable != &variable) [[unlikely]]
      return find_or_place(slot, variable);
    last_found_ = next;
    return slot_begin(slot) + placed_[next].offset;
  }

  /// Whether what does not fit is more than a kernel has unasked, but not more than a block has.
  bool needs_opt_in() const {
    return static_bytes_ <= kMaxStaticShared && static_bytes_ + dynamic_bytes_ <= kMaxShared;
  }
  std::size_t static_bytes() const { return static_bytes_; }    ///< that this launch has reached
  std::size_t dynamic_bytes() const { return dynamic_bytes_; }  ///< that it asked for

  /// Whether `address` lies in any slot, and which.
  bool contains(std::uintptr_t address) const { return address - begin() < bytes_; }
  static constexpr unsigned kMaxSlots = 16;  ///< of a cluster
  /// All of a slot.
  AddressSpan slot(unsigned number) const {
    return {reinterpret_cast<std::uintptr_t>(slot_begin(number)), kSlotBytes};
  }
  /// Which slot an address lies in that contains() is true for.
  unsigned slot_of(std::uintptr_t address) const {
    return static_cast<unsigned>((address - begin()) / kSlotBytes);
  }
  /// What lies so far from the beginning of a slot.
  void* address_in_slot(unsigned slot, std::size_t offset) const {
    return slot_begin(slot) + offset;
  }
  /// How far from the beginning of its slot it lies.
  std::size_t offset_in_slot(std::uintptr_t address) const {
    return (address - begin()) % kSlotBytes;
  }
  /// Bytes from one slot to the next.
  static constexpr std::size_t slot_stride() { return kSlotBytes; }

  /// Whether these bytes of a slot belong to an object. (No access spans a red zone, so its ends
  /// tell.)
  bool is_inside(std::size_t offset, std::size_t bytes) const {
    return offset + bytes <= kSlotBytes && belongs_[offset] && belongs_[offset + bytes - 1];
  }
  /// An object of a slot.
  struct Object {
    std::string name;    ///< as the source spells it, or "dynamic shared memory"
    std::size_t offset;  ///< within the slot
    std::size_t bytes;   ///< of all of it
  };
  /// Those that this launch has reached so far, by offset.
  std::vector<Object> objects() const;
  /// The nearest object below that offset, for a message.
  std::string describe(std::size_t offset) const;

  /// Most words of 4 bytes are only ever accessed as such: one SharedByte is known of each.
  static constexpr unsigned kWordBytes = 4;
  /// What is known of the words from `address` on that are not apart.
  SharedByte* words_at(std::uintptr_t address) { return words_ + word_of(address); }
  /// Whether the word at `address` is apart: each of its bytes is known by itself.
  bool is_apart(std::uintptr_t address) const { return apart_[word_of(address)] != 0; }
  /// What is known of the bytes from `address` on, of words that are apart.
  SharedByte* bytes_at(std::uintptr_t address) { return cells_ + (address - begin()); }
  /// What is known of the byte there.
  const SharedByte& known_of(std::uintptr_t address) {
    return is_apart(address) ? *bytes_at(address) : *words_at(address);
  }
  /// A byte of the word at `address` is about to be known by itself.
  void take_apart(std::uintptr_t address);
  /// The same is known of all bytes of the word at `address` again.
  void put_together(std::uintptr_t address);
  /// The last atomic operations, which are rare: null while this launch has made none.
  LastAccess* atomics_at(std::uintptr_t address) {
    return atomics_used_ ? atomics_ + (address - begin()) : nullptr;
  }
  /// Whether this launch has made any.
  bool has_atomics() const { return atomics_used_; }
  /// An atomic operation is about to be noted.
  void use_atomics() { atomics_used_ = true; }
  /// All accesses so far are over: none of them races with a later one.
  void forget_accesses();

 private:
  void* find_or_place(unsigned slot, const SharedVariable& variable);
  void reserve(unsigned slots);
  void release();

  static constexpr std::size_t kRedZone = 128;
  static constexpr std::size_t kAlignment = 128;
  static constexpr std::size_t kSlotBytes = std::size_t{512} << 10;
  static constexpr std::size_t kSlotWords = kSlotBytes / kWordBytes;

  struct Placed {
    const SharedVariable* variable;
    std::size_t offset;
  };
  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(memory_); }
  std::size_t word_of(std::uintptr_t address) const { return (address - begin()) / kWordBytes; }
  char* slot_begin(unsigned slot) const { return memory_ + slot * kSlotBytes; }

  char* memory_ = nullptr;
  SharedByte* cells_ = nullptr;    // of bytes
  SharedByte* words_ = nullptr;    // of words
  std::uint8_t* apart_ = nullptr;  // for each word whether its bytes have cells of their own
  LastAccess* atomics_ = nullptr;
  bool atomics_used_ = false;
  unsigned reserved_slots_ = 0;
  std::size_t bytes_ = 0;
  std::size_t dynamic_bytes_ = 0;
  std::size_t most_bytes_ = kMaxShared;
  std::size_t static_bytes_ = 0;
  std::size_t used_ = 0;  ///< of each slot
  std::vector<Placed> placed_;
  std::size_t last_found_ = 0;  ///< among these
  std::vector<char> belongs_;   ///< to an object: a flag for each byte of a slot
};

}  // namespace simt
