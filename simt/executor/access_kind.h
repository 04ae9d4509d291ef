/// \file
/// The kinds of accesses that are told apart.
#pragma once

#include <cstdint>

namespace simt {

/// What an access is to, and what it does there.
enum class AccessKind : std::uint8_t {
  kGlobalLoad,      ///< with managed memory and variables of the device
  kAsyncCopy,       ///< a load of the same, straight into shared memory
  kGlobalStore,     ///< with managed memory and variables of the device
  kGlobalAtomic,    ///< likewise
  kSharedLoad,      ///< of the block's own
  kSharedStore,     ///< likewise
  kSharedAtomic,    ///< likewise
  kSharedAddition,  ///< an atomic one there of a constant, for whose result nobody asks
  kConstantLoad,    ///< of a `__constant__` variable
  kDistributed,     ///< the shared memory of another block of the cluster; st_async to any
  kFence,           ///< no access: makes those before it visible to other blocks
  kWarpSync,        ///< no access: a __syncwarp of the lanes that take part
  kMeeting,         ///< an atomic operation on memory whose traffic is not counted
  kShuffle,         ///< no access: a shuffle of some of a warp's lanes
};

}  // namespace simt
