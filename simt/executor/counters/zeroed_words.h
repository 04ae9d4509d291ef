/// \file
/// Arrays of words that begin as zero, for what each launch needs anew.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

/// An array whose memory a later one takes over. New memory would cost a page fault for each page:
/// measured, a twentieth of a launch that touches 2 MB of arrays.
class ZeroedWords {
 public:
  /// Throws std::bad_alloc where there is no memory for as many.
  explicit ZeroedWords(std::size_t count);
  ZeroedWords(const ZeroedWords&) = delete;
  ZeroedWords& operator=(const ZeroedWords&) = delete;
  /// Leaves the other one without words.
  ZeroedWords(ZeroedWords&& other) noexcept;
  /// The same.
  ZeroedWords& operator=(ZeroedWords&& other) noexcept;
  ~ZeroedWords();

  /// Must come before words of this range are changed.
  void use(std::size_t first, std::size_t end) {
    if (first < first_) first_ = first;
    if (end > end_) end_ = end;
  }
  std::size_t first() const { return first_; }  ///< words before it are 0
  std::size_t end() const { return end_; }      ///< words from it on are 0

  /// Number `i` of them.
  std::uint64_t& operator[](std::size_t i) { return words_[i]; }
  /// The same.
  std::uint64_t operator[](std::size_t i) const { return words_[i]; }

 private:
  std::uint64_t* words_;
  std::size_t count_;
  std::size_t first_ = ~std::size_t{0};
  std::size_t end_ = 0;
};

}  // namespace simt
