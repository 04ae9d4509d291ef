/// \file
/// Device memory that a step works in, beside its input and output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

namespace worklog {

/// A stretch of device memory from which a step takes its arrays, in order. The caller owns the
/// memory.
class Scratch {
 public:
  Scratch() = default;
  /// The `bytes` bytes of device memory from `base` on, which is aligned to 256 bytes.
  Scratch(void* base, std::int64_t bytes);

  /// An array of `count` elements, aligned to 256 bytes.
  /// Throws std::length_error, naming both sizes and the line of the call, if the step registered
  /// fewer bytes than it takes.
  template <typename T>
  T* take(std::int64_t count, std::source_location where = std::source_location::current()) {
    return static_cast<T*>(take_bytes(count, sizeof(T), where));
  }

  /// What an array of `count` elements takes, padding included: registrations add these up.
  static constexpr std::int64_t bytes_for(std::int64_t count, std::size_t element_bytes) {
    const std::int64_t bytes = count * static_cast<std::int64_t>(element_bytes);
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

 private:
  static constexpr std::int64_t kAlignment = 256;

  void* take_bytes(std::int64_t count, std::size_t element_bytes, std::source_location where);

  std::byte* base_ = nullptr;
  std::int64_t bytes_ = 0;
  std::int64_t used_ = 0;
};

}  // namespace worklog
