/// \file
/// What stands in memory before a step writes there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace worklog {

/// Repeated over any array: a quiet NaN with an unlikely payload in fp32, fp16 and bf16, and a
/// negative number as an index. CUDA's own NaNs are 0x7fff... .
inline constexpr std::uint16_t kPoison = 0xffe5;

/// A `T` filled with poison.
template <typename T>
T poison() {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof kPoison == 0);
  T value;
  for (std::size_t at = 0; at < sizeof(T); at += sizeof kPoison) {
    std::memcpy(reinterpret_cast<unsigned char*>(&value) + at, &kPoison, sizeof kPoison);
  }
  return value;
}

/// Whether every bit is still as poison() left it.
template <typename T>
bool is_poison(const T& value) {
  const T untouched = poison<T>();
  return std::memcmp(&value, &untouched, sizeof(T)) == 0;
}

}  // namespace worklog
