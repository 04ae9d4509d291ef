/// \file
/// Stands in for CUDA's cooperative_groups.h: blocks, tiles of a warp, clusters.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/simt/include/cuda_runtime.h"

namespace cooperative_groups {

/// The threads of a block.
class thread_block {
 public:
  static void sync(simt::Location where = simt::Location::current()) {
    simt::block_barrier(false, where);
  }
  WORKLOG_SIMT_INLINE static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  WORKLOG_SIMT_INLINE static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  WORKLOG_SIMT_INLINE static unsigned size() { return num_threads(); }
  WORKLOG_SIMT_INLINE static dim3 group_index() { return blockIdx; }
  WORKLOG_SIMT_INLINE static dim3 thread_index() { return threadIdx; }
  WORKLOG_SIMT_INLINE static dim3 dim_threads() { return blockDim; }
  WORKLOG_SIMT_INLINE static dim3 group_dim() { return blockDim; }
};

WORKLOG_SIMT_INLINE thread_block this_thread_block() {
  return {};
}

/// `tile_size` threads of one warp whose ranks follow each other; a power of two up to 32.
template <unsigned tile_size, typename Parent = void>
class thread_block_tile {
  static_assert(tile_size >= 1 && tile_size <= 32 && (tile_size & (tile_size - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  WORKLOG_SIMT_INLINE static unsigned thread_rank() {
    return thread_block::thread_rank() % tile_size;
  }
  WORKLOG_SIMT_INLINE static constexpr unsigned num_threads() { return tile_size; }
  WORKLOG_SIMT_INLINE static constexpr unsigned size() { return tile_size; }
  /// This tile's number within the group that was partitioned, and how many there are.
  WORKLOG_SIMT_INLINE unsigned meta_group_rank() const {
    return thread_block::thread_rank() % parent_size_ / tile_size;
  }
  WORKLOG_SIMT_INLINE unsigned meta_group_size() const {
    return (parent_size_ + tile_size - 1) / tile_size;
  }

  WORKLOG_SIMT_INLINE void sync(simt::Location where = simt::Location::current()) const {
    simt::warp_operation(simt::WarpOperation::kSync, lanes(), 0, 0, warpSize, where);
  }
  template <typename T>
  WORKLOG_SIMT_INLINE T shfl(T value, unsigned source_rank,
                             simt::Location where = simt::Location::current()) const {
    return exchange(simt::WarpOperation::kShuffleIndex, value, source_rank, where);
  }
  template <typename T>
  WORKLOG_SIMT_INLINE T shfl_up(T value, unsigned delta,
                                simt::Location where = simt::Location::current()) const {
    return exchange(simt::WarpOperation::kShuffleUp, value, delta, where);
  }
  template <typename T>
  WORKLOG_SIMT_INLINE T shfl_down(T value, unsigned delta,
                                  simt::Location where = simt::Location::current()) const {
    return exchange(simt::WarpOperation::kShuffleDown, value, delta, where);
  }
  template <typename T>
  WORKLOG_SIMT_INLINE T shfl_xor(T value, unsigned mask,
                                 simt::Location where = simt::Location::current()) const {
    return exchange(simt::WarpOperation::kShuffleXor, value, mask, where);
  }
  WORKLOG_SIMT_INLINE int any(int predicate,
                              simt::Location where = simt::Location::current()) const {
    return simt::ballot(lanes(), predicate != 0, where) != 0;
  }
  WORKLOG_SIMT_INLINE int all(int predicate,
                              simt::Location where = simt::Location::current()) const {
    return simt::ballot(lanes(), predicate == 0, where) == 0;
  }
  /// Bit i is of the thread of rank i in the tile.
  WORKLOG_SIMT_INLINE unsigned ballot(int predicate,
                                      simt::Location where = simt::Location::current()) const {
    return simt::ballot(lanes(), predicate != 0, where) >> first_lane();
  }

 private:
  template <unsigned size, typename Group>
  friend thread_block_tile<size, Group> tiled_partition(const Group&);

  explicit thread_block_tile(unsigned parent_size) : parent_size_(parent_size) {}

  WORKLOG_SIMT_INLINE static unsigned first_lane() {
    return thread_block::thread_rank() % 32 / tile_size * tile_size;
  }
  WORKLOG_SIMT_INLINE static unsigned lanes() {
    return (0xffffffffu >> (32 - tile_size)) << first_lane();
  }

  /// Values of any size, 8 bytes at a time.
  template <typename T>
  WORKLOG_SIMT_INLINE static T exchange(simt::WarpOperation operation, T value, unsigned argument,
                                        simt::Location where) {
    static_assert(std::is_trivially_destructible_v<T>, "a shuffle moves bytes");
    T result;
    for (std::size_t at = 0; at < sizeof(T); at += sizeof(std::uint64_t)) {
      const std::size_t bytes =
          sizeof(T) - at < sizeof(std::uint64_t) ? sizeof(T) - at : sizeof(std::uint64_t);
      std::uint64_t word = 0;
      __builtin_memcpy(&word, reinterpret_cast<const char*>(&value) + at, bytes);
      word = simt::warp_operation(operation, lanes(), word, static_cast<int>(argument),
                                  static_cast<int>(tile_size), where);
      __builtin_memcpy(reinterpret_cast<char*>(&result) + at, &word, bytes);
    }
    return result;
  }

  unsigned parent_size_;
};

/// Cuts a block, or a tile, into tiles.
template <unsigned tile_size, typename Group>
WORKLOG_SIMT_INLINE thread_block_tile<tile_size, Group> tiled_partition(const Group& group) {
  return thread_block_tile<tile_size, Group>(static_cast<unsigned>(group.num_threads()));
}

/// The blocks of a cluster.
class cluster_group {
 public:
  static void sync(simt::Location where = simt::Location::current()) {
    simt::cluster_barrier(where);
  }
  static unsigned block_rank() { return simt::cluster_rank(); }
  static unsigned num_blocks() { return simt::cluster_size(); }
  static unsigned num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  /// Where another block of the cluster has the variable that `mine` points to in this block's
  /// shared memory.
  template <typename T>
  T* map_shared_rank(T* mine, int rank) const {
    return static_cast<T*>(
        simt::map_shared_rank(const_cast<std::remove_cv_t<T>*>(mine), static_cast<unsigned>(rank)));
  }
};

WORKLOG_SIMT_INLINE cluster_group this_cluster() {
  return {};
}

template <typename Group>
WORKLOG_SIMT_INLINE void sync(const Group& group,
                              simt::Location where = simt::Location::current()) {
  group.sync(where);
}

}  // namespace cooperative_groups
