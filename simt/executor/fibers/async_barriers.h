/// \file
/// Barriers that are objects in a block's shared memory (cuda::barrier, mbarrier): threads arrive,
/// go on, and wait later. Threads of any block of the cluster may arrive, and store to the block's
/// memory what those who wait find there (st.async).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/executor/executor.h"
#include "simt/executor/fibers/thread_order.h"

namespace simt {

/// Where the barrier of a thread's tile of several warps stands among those in shared memory: no
/// address of these is as low.
constexpr std::uintptr_t key_of_tile(unsigned thread, unsigned threads) {
  return std::uintptr_t{thread / threads} << 16 | threads;
}
/// Whether it is such a key.
constexpr bool is_key_of_tile(std::uintptr_t key) {
  return key < std::uintptr_t{1} << 32;
}
/// The threads of that tile.
constexpr unsigned threads_of_tile(std::uintptr_t key) {
  return static_cast<unsigned>(key & 0xffff);
}

/// A store on its way to a block's shared memory: it is there when the phase ends that it belongs
/// to.
struct AsyncStore {
  static constexpr std::size_t kMostBytes = 16;  ///< of a store

  std::uintptr_t to = 0;                           ///< in the shared memory of the barrier's block
  unsigned bytes = 0;                              ///< 4, 8 or 16
  std::array<std::byte, kMostBytes> content = {};  ///< what arrives
  unsigned sender = 0;                             ///< that block's rank in the cluster
  Location where = {};                             ///< of the call
};

/// The last store by another block that has arrived.
struct ArrivedStore {
  unsigned sender = 0;     ///< that block's rank in the cluster
  Location where = {};     ///< of the call
  std::uint32_t time = 0;  ///< of the worker's clock, when it arrived; 0 for none
};

/// One of them. A phase ends when all arrivals and bytes that it expects have come.
struct AsyncBarrier {
  unsigned number = 0;             ///< among those of its block
  std::uint32_t expected = 0;      ///< arrivals of a phase
  std::uint32_t pending = 0;       ///< of these, the ones that have not come
  std::uint32_t dropped = 0;       ///< that later phases shall not expect
  std::int64_t missing_bytes = 0;  ///< that this phase expects; below 0 where more have come
  std::uint64_t completed = 0;     ///< phases that have ended
  Location where = {};             ///< of its initialization
  ThreadTimes arriving = {};       ///< what those who have arrived know
  ThreadTimes arrived = {};        ///< the same when the last phase ended
  std::vector<AsyncStore> stores;  ///< that have come in this phase
  ArrivedStore last_arrived = {};  ///< in a phase before
};

/// What a block's threads know of each other by its barriers and its atomic objects.
struct BlockSynchronization {
  /// Of a block of so many threads, before its first barrier or atomic.
  explicit BlockSynchronization(unsigned threads) : order(threads), shown(threads) {}

  ThreadOrder order;                                          ///< what they know
  std::unordered_map<std::uintptr_t, AsyncBarrier> barriers;  ///< by their addresses
  std::unordered_map<std::uintptr_t, ThreadTimes> released;   ///< through atomic objects
  std::vector<std::uint64_t> shown;  ///< by each thread to the others of its tiles
};

}  // namespace simt
