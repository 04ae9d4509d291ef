/// \file
/// Stands in for CUDA's cooperative_groups.h: blocks, tiles of a warp, coalesced threads, clusters,
/// grids.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "simt/include/cuda_runtime.h"

namespace cooperative_groups {

namespace details {

/// Threads of one warp, named by their lanes: what tiles and coalesced groups do.
class lane_group {
 public:
  SIMT_INLINE unsigned lanes() const { return lanes_; }
  SIMT_INLINE void sync(simt::Location where = simt::Location::current()) const {
    simt::warp_operation({lanes_, 0, warpSize, simt::WarpOperation::kSync}, 0, where);
  }
  template <typename T>
  SIMT_INLINE T shfl(T value, unsigned source_rank,
                     simt::Location where = simt::Location::current()) const {
    return exchange(simt::WarpOperation::kShuffleIndex, value, lane_of(source_rank), warpSize,
                    where);
  }
  SIMT_INLINE int any(int predicate, simt::Location where = simt::Location::current()) const {
    return simt::ballot(lanes_, predicate != 0, where) != 0;
  }
  SIMT_INLINE int all(int predicate, simt::Location where = simt::Location::current()) const {
    return simt::ballot(lanes_, predicate == 0, where) == 0;
  }
  /// Bit i is of the thread of rank i in the group.
  SIMT_INLINE unsigned ballot(int predicate,
                              simt::Location where = simt::Location::current()) const {
    return by_rank(simt::ballot(lanes_, predicate != 0, where));
  }
  template <typename T>
  SIMT_INLINE unsigned match_any(T value, simt::Location where = simt::Location::current()) const {
    return by_rank(__match_any_sync(lanes_, value, where));
  }
  template <typename T>
  SIMT_INLINE unsigned match_all(T value, int& all,
                                 simt::Location where = simt::Location::current()) const {
    return by_rank(__match_all_sync(lanes_, value, &all, where));
  }

 protected:
  SIMT_INLINE explicit lane_group(unsigned lanes) : lanes_(lanes) {}

  SIMT_INLINE static unsigned own_lane() {
    return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32;
  }
  /// The lane of the thread of that rank.
  SIMT_INLINE unsigned lane_of(unsigned rank) const {
    unsigned rest = lanes_;
    for (rank %= static_cast<unsigned>(__popc(lanes_)); rank > 0; --rank)
      rest &= rest - 1;
    return static_cast<unsigned>(__builtin_ctz(rest));
  }
  /// Of a set of lanes, the set of their ranks.
  SIMT_INLINE unsigned by_rank(unsigned lanes) const {
    unsigned ranks = 0;
    unsigned rank = 0;
    for (unsigned rest = lanes_; rest != 0; rest &= rest - 1, ++rank)
      ranks |= (lanes >> __builtin_ctz(rest) & 1u) << rank;
    return ranks;
  }

  /// Values of any size, 8 bytes at a time.
  template <typename T>
  SIMT_INLINE T exchange(simt::WarpOperation operation, T value, unsigned argument, int width,
                         simt::Location where) const {
    static_assert(std::is_trivially_destructible_v<T>, "a shuffle moves bytes");
    T result;
    for (std::size_t at = 0; at < sizeof(T); at += sizeof(std::uint64_t)) {
      const std::size_t bytes =
          sizeof(T) - at < sizeof(std::uint64_t) ? sizeof(T) - at : sizeof(std::uint64_t);
      std::uint64_t word = 0;
      __builtin_memcpy(&word, reinterpret_cast<const char*>(&value) + at, bytes);
      word =
          simt::warp_operation({lanes_, static_cast<int>(argument), width, operation}, word, where);
      __builtin_memcpy(reinterpret_cast<char*>(&result) + at, &word, bytes);
    }
    return result;
  }

 private:
  unsigned lanes_;
};

}  // namespace details

/// The threads of a block.
class thread_block {
 public:
  static void sync(simt::Location where = simt::Location::current()) {
    simt::block_barrier(false, where);
  }
  /// What a thread that has arrived hands on to its wait.
  struct arrival_token {};
  /// As in CUDA, the barrier is where its threads wait: the arrival orders nothing.
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token&&, simt::Location where = simt::Location::current()) {
    simt::block_barrier(false, where);
  }
  SIMT_INLINE static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  SIMT_INLINE static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  SIMT_INLINE static unsigned size() { return num_threads(); }
  SIMT_INLINE static dim3 group_index() { return blockIdx; }
  SIMT_INLINE static dim3 thread_index() { return threadIdx; }
  SIMT_INLINE static dim3 dim_threads() { return blockDim; }
  SIMT_INLINE static dim3 group_dim() { return blockDim; }
};

SIMT_INLINE thread_block this_thread_block() {
  return {};
}

/// For tiles of several warps, on devices that have no memory of their own for it. An H200 has.
template <unsigned kMaxBlockSize = 1024>
struct alignas(8) block_tile_memory {};

template <unsigned kMaxBlockSize>
SIMT_INLINE thread_block this_thread_block(block_tile_memory<kMaxBlockSize>&) {
  return {};
}

namespace details {

/// Where a tile of threads whose ranks follow each other lies in the group that was partitioned.
template <unsigned tile_size>
class part_of_group {
 public:
  SIMT_INLINE static unsigned thread_rank() { return thread_block::thread_rank() % tile_size; }
  SIMT_INLINE static constexpr unsigned num_threads() { return tile_size; }
  SIMT_INLINE static constexpr unsigned size() { return tile_size; }
  /// This tile's number within the group that was partitioned, and how many there are.
  SIMT_INLINE unsigned meta_group_rank() const {
    return thread_block::thread_rank() % parent_size_ / tile_size;
  }
  SIMT_INLINE unsigned meta_group_size() const {
    return (parent_size_ + tile_size - 1) / tile_size;
  }
  SIMT_INLINE unsigned parent_size() const { return parent_size_; }

 protected:
  SIMT_INLINE explicit part_of_group(unsigned parent_size) : parent_size_(parent_size) {}

 private:
  unsigned parent_size_;
};

/// A tile of one warp's threads.
template <unsigned tile_size>
class warp_tile : public lane_group, public part_of_group<tile_size> {
 public:
  template <typename T>
  SIMT_INLINE T shfl(T value, unsigned source_rank,
                     simt::Location where = simt::Location::current()) const {
    return exchange_in_tile(simt::WarpOperation::kShuffleIndex, value, source_rank, where);
  }
  template <typename T>
  SIMT_INLINE T shfl_up(T value, unsigned delta,
                        simt::Location where = simt::Location::current()) const {
    return exchange_in_tile(simt::WarpOperation::kShuffleUp, value, delta, where);
  }
  template <typename T>
  SIMT_INLINE T shfl_down(T value, unsigned delta,
                          simt::Location where = simt::Location::current()) const {
    return exchange_in_tile(simt::WarpOperation::kShuffleDown, value, delta, where);
  }
  template <typename T>
  SIMT_INLINE T shfl_xor(T value, unsigned mask,
                         simt::Location where = simt::Location::current()) const {
    return exchange_in_tile(simt::WarpOperation::kShuffleXor, value, mask, where);
  }

 protected:
  SIMT_INLINE explicit warp_tile(unsigned parent_size)
      : lane_group(lanes_of_tile()), part_of_group<tile_size>(parent_size) {}

 private:
  SIMT_INLINE static unsigned lanes_of_tile() {
    return (0xffffffffu >> (32 - tile_size)) << (own_lane() / tile_size * tile_size);
  }
  template <typename T>
  SIMT_INLINE T exchange_in_tile(simt::WarpOperation operation, T value, unsigned argument,
                                 simt::Location where) const {
    return exchange(operation, value, argument, static_cast<int>(tile_size), where);
  }
};

/// A tile of several whole warps. What its threads hand to each other goes through memory that the
/// device keeps for this, which the counters leave out, and so do those of its barrier.
template <unsigned tile_size>
class tile_of_warps : public part_of_group<tile_size> {
 public:
  SIMT_INLINE static void sync(simt::Location where = simt::Location::current()) {
    simt::tile_barrier(tile_size, where);
  }
  template <typename T>
  SIMT_INLINE static T shfl(T value, unsigned source_rank,
                            simt::Location where = simt::Location::current()) {
    show(value, where);
    return take<T>(source_rank, where);
  }
  SIMT_INLINE static int any(int predicate, simt::Location where = simt::Location::current()) {
    show(simt::ballot(~0u, predicate != 0, where) != 0, where);
    return combined<bool>([](bool a, bool b) { return a || b; }, where);
  }
  SIMT_INLINE static int all(int predicate, simt::Location where = simt::Location::current()) {
    show(simt::ballot(~0u, predicate == 0, where) == 0, where);
    return combined<bool>([](bool a, bool b) { return a && b; }, where);
  }

  // For reductions and scans.

  static constexpr unsigned kWarps = tile_size / 32;  ///< of the tile
  /// Makes it known to the other threads.
  template <typename T>
  SIMT_INLINE static void show(T value, simt::Location where) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t),
                  "tiles of more than 32 threads exchange up to 8 bytes");
    std::uint64_t word = 0;
    __builtin_memcpy(&word, &value, sizeof(T));
    simt::show_in_tile(word);
    sync(where);
  }
  /// What the thread of that rank has made known.
  template <typename T>
  SIMT_INLINE static T shown(unsigned rank) {
    const unsigned first = thread_block::thread_rank() / tile_size * tile_size;
    const std::uint64_t word = simt::shown_in_tile(first + rank % tile_size);
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &word, sizeof(T));
    return value;
  }
  /// The same, after which others may make something else known.
  template <typename T>
  SIMT_INLINE static T take(unsigned rank, simt::Location where) {
    const T value = shown<T>(rank);
    sync(where);
    return value;
  }
  /// What the first threads of all warps have made known, in the order that a shuffle's steps have.
  template <typename T, typename Operation>
  SIMT_INLINE static T combined(Operation operation, simt::Location where) {
    T of_warps[kWarps];
    for (unsigned warp = 0; warp < kWarps; ++warp)
      of_warps[warp] = shown<T>(warp * 32);
    sync(where);
    for (unsigned distance = kWarps / 2; distance > 0; distance /= 2) {
      for (unsigned warp = 0; warp < distance; ++warp)
        of_warps[warp] = operation(of_warps[warp], of_warps[warp + distance]);
    }
    return of_warps[0];
  }

 protected:
  SIMT_INLINE explicit tile_of_warps(unsigned parent_size)
      : part_of_group<tile_size>(parent_size) {}
};

template <unsigned tile_size>
using tile_of_size =
    std::conditional_t<(tile_size > 32), tile_of_warps<tile_size>, warp_tile<tile_size>>;

}  // namespace details

/// `tile_size` threads of one block whose ranks follow each other; a power of two.
template <unsigned tile_size, typename Parent = void>
class thread_block_tile : public details::tile_of_size<tile_size> {
  static_assert(tile_size >= 1 && tile_size <= 1024 && (tile_size & (tile_size - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024 threads");

 public:
  template <typename Other>
  SIMT_INLINE thread_block_tile(const thread_block_tile<tile_size, Other>& other)
      : details::tile_of_size<tile_size>(other.parent_size()) {}

 private:
  template <unsigned size, typename Group>
  friend thread_block_tile<size, Group> tiled_partition(const Group&);

  SIMT_INLINE explicit thread_block_tile(unsigned parent_size)
      : details::tile_of_size<tile_size>(parent_size) {}
};

namespace details {
template <typename Group>
inline constexpr bool has_several_warps = false;
template <unsigned tile_size, typename Parent>
inline constexpr bool has_several_warps<thread_block_tile<tile_size, Parent>> = (tile_size > 32);
}  // namespace details

/// Cuts a block, or a tile, into tiles.
template <unsigned tile_size, typename Group>
SIMT_INLINE thread_block_tile<tile_size, Group> tiled_partition(const Group& group) {
  return thread_block_tile<tile_size, Group>(static_cast<unsigned>(group.num_threads()));
}

/// Any threads of one warp.
class coalesced_group : public details::lane_group {
 public:
  SIMT_INLINE explicit coalesced_group(unsigned lanes) : lane_group(lanes) {}

  SIMT_INLINE unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(lanes() & ((1u << own_lane()) - 1)));
  }
  SIMT_INLINE unsigned num_threads() const { return static_cast<unsigned>(__popc(lanes())); }
  SIMT_INLINE unsigned size() const { return num_threads(); }
  SIMT_INLINE unsigned meta_group_rank() const { return 0; }
  SIMT_INLINE unsigned meta_group_size() const { return 1; }

  // A thread at the end of the group gets its own value back.
  template <typename T>
  SIMT_INLINE T shfl_up(T value, unsigned delta,
                        simt::Location where = simt::Location::current()) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank >= delta ? rank - delta : rank, where);
  }
  template <typename T>
  SIMT_INLINE T shfl_down(T value, unsigned delta,
                          simt::Location where = simt::Location::current()) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank + delta < num_threads() ? rank + delta : rank, where);
  }
};

/// The threads of the calling warp that run this together.
SIMT_INLINE coalesced_group coalesced_threads(simt::Location where = simt::Location::current()) {
  return coalesced_group(__activemask(where));
}

/// The threads of a group that passed the same value.
template <typename Group, typename T>
SIMT_INLINE coalesced_group labeled_partition(const Group& group, T label,
                                              simt::Location where = simt::Location::current()) {
  return coalesced_group(__match_any_sync(group.lanes(), label, where));
}
template <typename Group>
SIMT_INLINE coalesced_group binary_partition(const Group& group, bool predicate,
                                             simt::Location where = simt::Location::current()) {
  const unsigned lanes = group.lanes();
  const unsigned yes = simt::ballot(lanes, predicate, where);
  return coalesced_group(predicate ? yes : lanes & ~yes);
}

/// A block, a tile or coalesced threads, for functions that take any of them.
class thread_group {
 public:
  SIMT_INLINE thread_group(const thread_block&) : lanes_(0) {}
  template <unsigned tile_size, typename Parent>
  SIMT_INLINE thread_group(const thread_block_tile<tile_size, Parent>& tile)
      : lanes_(tile.lanes()) {}
  SIMT_INLINE thread_group(const coalesced_group& group) : lanes_(group.lanes()) {}

  SIMT_INLINE void sync(simt::Location where = simt::Location::current()) const {
    if (lanes_ == 0) {
      thread_block::sync(where);
    } else {
      coalesced_group(lanes_).sync(where);
    }
  }
  SIMT_INLINE unsigned thread_rank() const {
    return lanes_ == 0 ? thread_block::thread_rank() : coalesced_group(lanes_).thread_rank();
  }
  SIMT_INLINE unsigned num_threads() const {
    return lanes_ == 0 ? thread_block::num_threads() : coalesced_group(lanes_).num_threads();
  }
  SIMT_INLINE unsigned size() const { return num_threads(); }

 private:
  unsigned lanes_;  ///< 0: the whole block
};

/// Tiles of a size that is known at run time: 1, 2, 4, 8, 16 or 32.
SIMT_INLINE coalesced_group tiled_partition(const thread_block&, unsigned tile_size) {
  const unsigned lane = thread_block::thread_rank() % 32;
  return coalesced_group((0xffffffffu >> (32 - tile_size)) << (lane / tile_size * tile_size));
}

/// The blocks of a cluster.
class cluster_group {
 public:
  static void sync(simt::Location where = simt::Location::current()) {
    simt::cluster_barrier(where);
  }
  /// What a thread that has arrived may hand on to its wait.
  struct arrival_token {};
  static arrival_token barrier_arrive(simt::Location where = simt::Location::current()) {
    simt::cluster_arrive(where);
    return {};
  }
  static void barrier_wait(simt::Location where = simt::Location::current()) {
    simt::cluster_wait(where);
  }
  static void barrier_wait(arrival_token&&, simt::Location where = simt::Location::current()) {
    simt::cluster_wait(where);
  }
  static unsigned block_rank() { return simt::cluster_rank(); }
  static unsigned num_blocks() { return simt::cluster_size(); }
  static dim3 dim_blocks() {
    const simt::Dim3 shape = simt::cluster_shape();
    return {shape.x, shape.y, shape.z};
  }
  static dim3 block_index() {
    const dim3 shape = dim_blocks();
    return {blockIdx.x % shape.x, blockIdx.y % shape.y, blockIdx.z % shape.z};
  }
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
  /// The rank of the block in whose shared memory it lies.
  static unsigned query_shared_rank(const void* address,
                                    simt::Location where = simt::Location::current()) {
    return simt::rank_of_shared(address, where);
  }
};

SIMT_INLINE cluster_group this_cluster() {
  return {};
}

/// The blocks of a cooperative launch.
class grid_group {
 public:
  static bool is_valid() { return simt::grid_is_cooperative(); }
  static void sync(simt::Location where = simt::Location::current()) { simt::grid_barrier(where); }
  /// What a thread that has arrived hands on to its wait.
  struct arrival_token {};
  /// All take part when they wait, which is later than on a GPU, but in an order that it allows.
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token&&, simt::Location where = simt::Location::current()) {
    simt::grid_barrier(where);
  }
  SIMT_INLINE static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  SIMT_INLINE static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  SIMT_INLINE static unsigned long long num_threads() {
    return num_blocks() * thread_block::num_threads();
  }
  SIMT_INLINE static unsigned long long size() { return num_threads(); }
  SIMT_INLINE static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  SIMT_INLINE static dim3 block_index() { return blockIdx; }
  SIMT_INLINE static dim3 dim_blocks() { return gridDim; }
  SIMT_INLINE static dim3 group_dim() { return gridDim; }
};

SIMT_INLINE grid_group this_grid() {
  return {};
}

template <typename Group>
SIMT_INLINE void sync(const Group& group, simt::Location where = simt::Location::current()) {
  group.sync(where);
}

/// One thread of the group calls the function: here that of rank 0, in CUDA any.
template <typename Group, typename Fn, typename... Args>
SIMT_INLINE void invoke_one(const Group& group, Fn&& fn, Args&&... args) {
  if (group.thread_rank() == 0) std::forward<Fn>(fn)(std::forward<Args>(args)...);
}

namespace details {
template <typename Group>
inline constexpr bool has_shuffles = std::is_same_v<Group, coalesced_group>;
template <unsigned tile_size, typename Parent>
inline constexpr bool has_shuffles<thread_block_tile<tile_size, Parent>> = true;

template <typename Group, typename Call>
SIMT_INLINE auto broadcast_of_one(const Group& group, Call call, simt::Location where) {
  using Result = std::decay_t<decltype(call())>;
  static_assert(has_shuffles<Group>, "invoke_one_broadcast() takes tiles and coalesced groups");
  static_assert(!std::is_void_v<Result>, "what returns nothing is for invoke_one()");
  Result result{};
  if (group.thread_rank() == 0) result = call();
  return group.shfl(result, 0, where);
}
}  // namespace details

/// The same, and all threads of the group, a tile or coalesced threads, return what it has
/// returned. The function takes up to four arguments: behind a pack of them, no place would know
/// the line that calls.
template <typename Group, typename Fn>
SIMT_INLINE auto invoke_one_broadcast(const Group& group, Fn&& fn,
                                      simt::Location where = simt::Location::current()) {
  return details::broadcast_of_one(
      group, [&]() -> decltype(auto) { return std::forward<Fn>(fn)(); }, where);
}
template <typename Group, typename Fn, typename Arg0>
SIMT_INLINE auto invoke_one_broadcast(const Group& group, Fn&& fn, Arg0&& arg0,
                                      simt::Location where = simt::Location::current()) {
  return details::broadcast_of_one(
      group, [&]() -> decltype(auto) { return std::forward<Fn>(fn)(std::forward<Arg0>(arg0)); },
      where);
}
template <typename Group, typename Fn, typename Arg0, typename Arg1>
SIMT_INLINE auto invoke_one_broadcast(const Group& group, Fn&& fn, Arg0&& arg0, Arg1&& arg1,
                                      simt::Location where = simt::Location::current()) {
  return details::broadcast_of_one(
      group,
      [&]() -> decltype(auto) {
        return std::forward<Fn>(fn)(std::forward<Arg0>(arg0), std::forward<Arg1>(arg1));
      },
      where);
}
template <typename Group, typename Fn, typename Arg0, typename Arg1, typename Arg2>
SIMT_INLINE auto invoke_one_broadcast(const Group& group, Fn&& fn, Arg0&& arg0, Arg1&& arg1,
                                      Arg2&& arg2,
                                      simt::Location where = simt::Location::current()) {
  return details::broadcast_of_one(
      group,
      [&]() -> decltype(auto) {
        return std::forward<Fn>(fn)(std::forward<Arg0>(arg0), std::forward<Arg1>(arg1),
                                    std::forward<Arg2>(arg2));
      },
      where);
}
template <typename Group, typename Fn, typename Arg0, typename Arg1, typename Arg2, typename Arg3>
SIMT_INLINE auto invoke_one_broadcast(const Group& group, Fn&& fn, Arg0&& arg0, Arg1&& arg1,
                                      Arg2&& arg2, Arg3&& arg3,
                                      simt::Location where = simt::Location::current()) {
  return details::broadcast_of_one(
      group,
      [&]() -> decltype(auto) {
        return std::forward<Fn>(fn)(std::forward<Arg0>(arg0), std::forward<Arg1>(arg1),
                                    std::forward<Arg2>(arg2), std::forward<Arg3>(arg3));
      },
      where);
}

}  // namespace cooperative_groups
