#include "simt/executor/counters/zeroed_words.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "simt/executor/system/fork_lock.h"

namespace simt {
namespace {

// Larger arrays go back to the system: a launch that has many takes longer than their pages.
constexpr std::size_t kMostKeptBytes = std::size_t{32} << 20;

// All of them are zero.
struct Kept {
  ForkLock<std::mutex> mutex;
  std::multimap<std::size_t, std::uint64_t*> by_count;
  std::size_t bytes = 0;
};

// Never destroyed: a static object of the program may launch at the very end.
Kept& kept() {
  static Kept& instance = *new Kept;
  return instance;
}

std::uint64_t* take_kept(std::size_t count) {
  Kept& k = kept();
  const std::lock_guard lock(k.mutex);
  const auto found = k.by_count.find(count);
  if (found == k.by_count.end()) return nullptr;
  std::uint64_t* const words = found->second;
  k.by_count.erase(found);
  k.bytes -= count * sizeof *words;
  return words;
}

std::uint64_t* take(std::size_t count) {
  if (std::uint64_t* const words = take_kept(count)) return words;
  void* const words = std::calloc(count, sizeof(std::uint64_t));
  if (words == nullptr) throw std::bad_alloc();
  return static_cast<std::uint64_t*>(words);
}

void free_largest(Kept& k) {
  const auto largest = std::prev(k.by_count.end());
  k.bytes -= largest->first * sizeof *largest->second;
  std::free(largest->second);
  k.by_count.erase(largest);
}

// Returns whether it has kept them. Where there is no room, others make it.
bool keep(std::uint64_t* words, std::size_t count) noexcept {
  Kept& k = kept();
  const std::lock_guard lock(k.mutex);
  const std::size_t bytes = count * sizeof *words;
  while (k.bytes + bytes > kMostKeptBytes)
    free_largest(k);
  try {
    k.by_count.emplace(count, words);
  } catch (const std::bad_alloc&) {
    return false;
  }
  k.bytes += bytes;
  return true;
}

}  // namespace

ZeroedWords::ZeroedWords(std::size_t count) : words_(take(count)), count_(count) {}

ZeroedWords::ZeroedWords(ZeroedWords&& other) noexcept
    : words_(std::exchange(other.words_, nullptr)),
      count_(other.count_),
      first_(other.first_),
      end_(other.end_) {}

ZeroedWords& ZeroedWords::operator=(ZeroedWords&& other) noexcept {
  std::swap(words_, other.words_);
  std::swap(count_, other.count_);
  std::swap(first_, other.first_);
  std::swap(end_, other.end_);
  return *this;
}

ZeroedWords::~ZeroedWords() {
  if (words_ == nullptr) return;
  if (count_ * sizeof *words_ <= kMostKeptBytes) {
    if (first_ < end_) std::fill(words_ + first_, words_ + end_, 0);
    if (keep(words_, count_)) return;
  }
  std::free(words_);
}

}  // namespace simt
