/// \file
/// Copies from global to shared memory that a thread starts now and waits for later (cp.async).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simt {

/// One that is under way. What it copies is read when it starts, and arrives when it is waited for:
/// a thread that does not wait finds what was there before. One that a barrier in shared memory
/// waits for arrives when its thread arrives there.
struct AsyncCopy {
  static constexpr std::size_t kMostBytes = 16;  ///< of a copy

  std::uintptr_t to = 0;                           ///< in shared memory
  unsigned bytes = 0;                              ///< 4, 8 or 16
  std::uint64_t group = 0;                         ///< the number of the commit that it belongs to
  std::uintptr_t barrier = 0;                      ///< that waits for it, in place of its group
  bool has_arrived = false;                        ///< there, and its thread has not waited
  std::uintptr_t code_address = 0;                 ///< where it was started
  std::array<std::byte, kMostBytes> content = {};  ///< what arrives
};

/// The copies that a thread has started and not waited for.
struct AsyncCopies {
  std::vector<AsyncCopy> under_way;  ///< in the order in which they were started
  std::uint64_t committed = 0;       ///< how many groups the thread has closed
};

}  // namespace simt
