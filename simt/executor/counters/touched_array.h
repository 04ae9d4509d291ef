/// \file
/// The part of one array that accesses have touched.
#pragma once

#include <cstdint>

#include "simt/executor/counters/zeroed_words.h"
#include "simt/executor/memory/device_memory.h"

namespace simt {

/// An array of global memory, how many bytes of it were asked for, and which: a bit for each byte.
class TouchedArray {
 public:
  /// Nothing of it is touched yet.
  explicit TouchedArray(const DeviceMemory::ElementRange& range);
  /// A copy of the bits as well.
  TouchedArray(const TouchedArray& other);
  /// Leaves the other one empty.
  TouchedArray(TouchedArray&&) noexcept = default;
  /// Leaves the other one empty.
  TouchedArray& operator=(TouchedArray&&) noexcept = default;
  ~TouchedArray() = default;

  /// Whether the array has this address.
  bool contains(std::uint64_t address) const { return address - begin_ < bytes_; }
  /// Whether both are of one array.
  bool is_same_array(const TouchedArray& other) const { return begin_ == other.begin_; }

  /// Any number of bytes, in order.
  void touch_range(std::uint64_t address, std::uint64_t bytes);
  /// One access, aligned to its 1 to 16 bytes.
  void touch(std::uint64_t address, unsigned bytes) {
    const std::uint64_t offset = address - word_base_;
    words_.use(offset / kWordBits, offset / kWordBits + 1);
    words_[offset / kWordBits] |= ((std::uint64_t{1} << bytes) - 1) << offset % kWordBits;
  }

  /// For elements().
  void add_bytes_asked_for(std::uint64_t bytes) { asked_for_ += bytes; }
  /// What another worker, or another place in the code, touched of the same array.
  void add(const TouchedArray& other);

  /// Elements asked for, counting repetitions.
  std::uint64_t elements() const { return asked_for_ / element_bytes_; }
  /// Bytes touched at least once.
  std::uint64_t unique_bytes() const;
  /// Takes out the bytes that accesses of another kind touched, of the same array.
  void remove(const TouchedArray& other);

 private:
  static constexpr unsigned kWordBits = 64;

  std::uint64_t begin_;
  std::uint64_t bytes_;
  std::uint64_t word_base_;  ///< `begin_`, or less: a multiple of the bits in a word
  std::size_t element_bytes_;
  std::uint64_t asked_for_ = 0;
  ZeroedWords words_;
};

}  // namespace simt
