/// \file
/// Where device memory lies, for the code that runs at each access. DeviceMemory manages it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

/// What is known of a byte of device memory.
enum ByteState : std::uint8_t {
  kUnallocated = 0,   ///< or freed
  kUnwritten = 1,     ///< allocated, but nobody has written it
  kMaybeWritten = 2,  ///< managed: the host may have, through a library function that nobody sees
  kWritten = 3,       ///< by anyone, the host included
};

/// The ranges of addresses that device memory and the variables of the device have.
struct Arena {
  static constexpr std::size_t kBytes = std::size_t{8} << 30;  ///< of device memory
  /// Forbidden ranges on both sides, into which overflowed 32-bit indices of 16-byte elements lead.
  static constexpr std::size_t kGuardBytes = std::size_t{32} << 30;

  /// Behind its end, where no program has memory either, the variables of the device have places,
  /// under which their accesses are known.
  static constexpr std::size_t kVariableBytes = std::size_t{1} << 30;
  /// Of device memory and variables together.
  static constexpr std::size_t kPlacesBytes = kBytes + kVariableBytes;

  std::uintptr_t begin = ~(~std::uintptr_t{0} >> 1);  ///< at first where no program has memory
  std::uint8_t* states_of_bytes = nullptr;  ///< a ByteState for each byte of device memory

  /// Whether it is an address of device memory.
  bool contains(std::uintptr_t address) const { return address - begin < kBytes; }
  /// Whether it is one, or so near that an index must have left device memory.
  bool contains_or_guards(std::uintptr_t address) const {
    return address - (begin - kGuardBytes) < kBytes + 2 * kGuardBytes;
  }
  /// The states of the bytes from `address` on, which the arena contains.
  std::uint8_t* states(std::uintptr_t address) const { return states_of_bytes + (address - begin); }
};

/// Empty until device memory is first used.
extern constinit Arena arena;

}  // namespace simt
