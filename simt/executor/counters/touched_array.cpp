#include "simt/executor/counters/touched_array.h"

#include <algorithm>

namespace simt {

namespace {

// std::popcount is a call where the processor need not have an instruction for it. This is none,
// and compilers do it for several words at once. (Warren, Hacker's Delight, section 5-1)
std::uint64_t bits_set(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  word -= word >> 1 & kOnes * 0x55;
  word = (word & kOnes * 0x33) + (word >> 2 & kOnes * 0x33);
  word = (word + (word >> 4)) & kOnes * 0x0f;
  word += word >> 8;
  word += word >> 16;
  word += word >> 32;
  return word & 0x7f;
}

}  // namespace

TouchedArray::TouchedArray(const DeviceMemory::ElementRange& range)
    : begin_(range.begin),
      bytes_(range.end - range.begin),
      word_base_(range.begin / kWordBits * kWordBits),
      element_bytes_(range.element_bytes),
      words_((range.end - word_base_ + kWordBits - 1) / kWordBits) {}

TouchedArray::TouchedArray(const TouchedArray& other)
    : TouchedArray({other.begin_, other.begin_ + other.bytes_, other.element_bytes_}) {
  add(other);
}

void TouchedArray::touch_range(std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t first = address - word_base_;
  const std::uint64_t end = first + bytes;
  words_.use(first / kWordBits, (end + kWordBits - 1) / kWordBits);
  while (first < end) {
    const std::uint64_t in_word = first % kWordBits;
    const std::uint64_t count = std::min(end - first, kWordBits - in_word);
    words_[first / kWordBits] |= (~std::uint64_t{0} >> (kWordBits - count)) << in_word;
    first += count;
  }
}

void TouchedArray::add(const TouchedArray& other) {
  asked_for_ += other.asked_for_;
  words_.use(other.words_.first(), other.words_.end());
  for (std::size_t word = other.words_.first(); word < other.words_.end(); ++word)
    words_[word] |= other.words_[word];
}

void TouchedArray::remove(const TouchedArray& other) {
  const std::size_t end = std::min(words_.end(), other.words_.end());
  for (std::size_t word = std::max(words_.first(), other.words_.first()); word < end; ++word)
    words_[word] &= ~other.words_[word];
}

std::uint64_t TouchedArray::unique_bytes() const {
  std::uint64_t count = 0;
  for (std::size_t word = words_.first(); word < words_.end(); ++word)
    count += bits_set(words_[word]);
  return count;
}

}  // namespace simt
