/// \file
/// What stands in memory before a step writes there.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace worklog {

/// Repeated over an array: a NaN in fp32, fp16 and bf16, and a negative number as an index. In fp32
/// the NaN is a signalling one, and arithmetic makes a quiet one of it (IEEE 754-2008,
/// section 6.2): what was computed from poison is never poison. CUDA's own NaNs are 0x7fff... .
enum class Poison : std::uint16_t {
  kOutput = 0xffa5,   ///< of what a step must write
  kScratch = 0xffb3,  ///< of what it may use: what is made of it is known as such
};

/// A `T` filled with poison.
template <typename T>
T poison(Poison kind = Poison::kOutput) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof kind == 0);
  T value;
  for (std::size_t at = 0; at < sizeof(T); at += sizeof kind) {
    std::memcpy(reinterpret_cast<unsigned char*>(&value) + at, &kind, sizeof kind);
  }
  return value;
}

/// Whether every bit is still as poison() left it.
template <typename T>
bool is_poison(const T& value, Poison kind = Poison::kOutput) {
  const T untouched = poison<T>(kind);
  return std::memcmp(&value, &untouched, sizeof(T)) == 0;
}

/// Whether the value is poison of scratch, or was computed from it. The second can be told of fp32
/// on the CPU executor, whose arithmetic keeps a NaN's payload.
template <typename T>
bool is_of_unwritten_scratch(const T& value) {
  if (is_poison(value, Poison::kScratch)) return true;
  if constexpr (std::is_same_v<T, float>) {
    constexpr std::uint32_t kSignAndQuiet = 0x80400000;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto scratch = std::bit_cast<std::uint32_t>(poison<float>(Poison::kScratch));
    return (bits | kSignAndQuiet) == (scratch | kSignAndQuiet);
  }
  return false;
}

}  // namespace worklog
