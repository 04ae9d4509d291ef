/// \file
/// What one instruction of one warp costs the memory system.
#pragma once

#include <array>
#include <cstdint>

#include "simt/executor/fibers/block.h"
#include "simt/executor/log/access_log.h"

namespace simt {

/// Addresses that lie at equal distances, as most do, need no search.
struct Stride {
  bool regular = false;    ///< whether all distances are equal
  std::int64_t bytes = 0;  ///< from lane to lane, if they are
};

/// An access that `count` lanes execute together.
struct Request {
  Event site = 0;                                  ///< where in the code
  AccessKind kind = {};                            ///< to what, and how
  unsigned bytes = 0;                              ///< of each lane
  bool is_volatile = false;                        ///< whether the source says so
  unsigned count = 0;                              ///< lanes that take part
  std::array<std::uint8_t, kWarpSize> lanes;       ///< ascending
  std::uint64_t first = 0;                         ///< the address of the first of them
  Stride stride;                                   ///< from each lane that takes part to the next
  std::array<std::uint64_t, kWarpSize> addresses;  ///< of all, unless the stride is regular

  /// That of number `i` of the lanes that take part.
  std::uint64_t address(unsigned i) const {
    return stride.regular ? first + i * static_cast<std::uint64_t>(stride.bytes) : addresses[i];
  }
  /// That of the last lane that takes part.
  std::uint64_t last() const { return address(count - 1); }
};

/// Fills in `first` and the stride of a request whose addresses are known.
void find_stride(Request& request);

/// How many lanes from number `from` on are neighbours: each of them accesses the bytes behind
/// those of the lane before. At least one is.
unsigned neighbours(const Request& request, unsigned from);

/// 32-byte sectors of a request to global memory: the distinct ones that it touches. But those of
/// an asynchronous copy of 16 bytes per lane are what each sector that it writes is brought by: one
/// for two neighbouring lanes that read side by side, and one more where they read of two lines of
/// 128 bytes. The first lane is taken to write to the beginning of a sector.
unsigned sectors(const Request& request);

/// Sectors of an atomic operation: each is visited as often as the word in it that most lanes want.
unsigned atomic_sectors(const Request& request);

/// Distinct 4-byte words that the request touches.
unsigned constant_words(const Request& request);

/// What a request to shared memory costs.
struct Wavefronts {
  unsigned total = 0;      ///< rounds in which the banks serve it
  unsigned conflicts = 0;  ///< those beyond one for each group of lanes that is served together
};
/// Those of a request, by the rules of the hardware: taken over the whole warp for accesses of up
/// to 4 bytes, over each half for 8, over each quarter for 16.
Wavefronts wavefronts(const Request& request);

}  // namespace simt
