/// \file
/// What one instruction of one warp costs the memory system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "common/simt/executor/access_log.h"
#include "common/simt/executor/block.h"
#include "common/simt/executor/counters.h"
#include "common/simt/executor/device_memory.h"

namespace simt {

/// An access that `count` lanes execute together.
struct Request {
  Event site = 0;  ///< where in the code
  AccessKind kind = {};
  unsigned bytes = 0;  ///< of each lane
  unsigned count = 0;
  std::array<std::uint64_t, kWarpSize> addresses;
  std::array<std::uint8_t, kWarpSize> lanes;  ///< ascending
};

/// Distinct 32-byte sectors that the request touches.
unsigned sectors(const Request& request);

/// Sectors of an atomic operation: each is visited as often as the word in it that most lanes want.
unsigned atomic_sectors(const Request& request);

struct Wavefronts {
  unsigned total = 0;
  unsigned conflicts = 0;  ///< those beyond one for each group of lanes that is served together
};
Wavefronts wavefronts(const Request& request);

/// Sums requests. Elements are known only at the end of a launch: their sizes differ between
/// allocations.
class Tally {
 public:
  Counters counters;

  void add(const Request& request);
  Tally& operator+=(const Tally& other);
  /// The counters, with the elements filled in.
  Counters result() const;

 private:
  using BytesByElementSize = std::map<std::size_t, std::uint64_t>;

  void add_global(const Request& request, unsigned sectors, Traffic& traffic,
                  BytesByElementSize& bytes);

  BytesByElementSize loaded_;
  BytesByElementSize stored_;
  BytesByElementSize atomic_;
  DeviceMemory::ElementRange range_;  ///< of the last access
  std::uint64_t version_ = 0;
};

}  // namespace simt
