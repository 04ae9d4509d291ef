/// \file
/// Shuffles, votes and reductions of a warp.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/qualifiers.h"
#include "simt/include/cuda_standin/thread_builtins.h"

namespace simt {

/// Types that a shuffle moves: those of 4 and 8 bytes for which CUDA has an overload; cuda_fp16.h
/// and cuda_bf16.h add theirs.
template <typename T>
inline constexpr bool is_shuffled = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
                                    !std::is_same_v<T, char32_t>;

template <typename T>
using IfShuffled = std::enable_if_t<is_shuffled<T>, int>;

/// As on a device, 4 bytes at a time: 8 take two shuffles.
template <typename T>
SIMT_INLINE T shuffle(WarpOperation operation, unsigned mask, const T& value, int argument,
                      int width, Location where) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t), "a shuffle moves up to 8 bytes");
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  const Exchange exchange = {mask, argument, width, operation};
  std::uint64_t moved = warp_operation(exchange, static_cast<std::uint32_t>(bits), where);
  if constexpr (sizeof(T) > sizeof(std::uint32_t)) {
    moved |= warp_operation(exchange, bits >> 32, where) << 32;
  }
  T result;
  __builtin_memcpy(static_cast<void*>(&result), &moved, sizeof(T));
  return result;
}

/// The lanes of `mask` that passed a value other than 0.
SIMT_INLINE unsigned ballot(unsigned mask, bool predicate, Location where) {
  return static_cast<unsigned>(
      warp_operation({mask, 0, warpSize, WarpOperation::kBallot}, predicate ? 1 : 0, where));
}

}  // namespace simt

// Values smaller than an int are promoted to it, as by CUDA's overloads: hence the overload that is
// no template.

template <typename T, simt::IfShuffled<T> = 0>
SIMT_INLINE T __shfl_sync(unsigned mask, T value, int source_lane, int width = warpSize,
                          simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleIndex, mask, value, source_lane, width, where);
}
SIMT_INLINE int __shfl_sync(unsigned mask, int value, int source_lane, int width = warpSize,
                            simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleIndex, mask, value, source_lane, width, where);
}

template <typename T, simt::IfShuffled<T> = 0>
SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                             simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleUp, mask, value, static_cast<int>(delta), width,
                       where);
}
SIMT_INLINE int __shfl_up_sync(unsigned mask, int value, unsigned delta, int width = warpSize,
                               simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleUp, mask, value, static_cast<int>(delta), width,
                       where);
}

template <typename T, simt::IfShuffled<T> = 0>
SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                               simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleDown, mask, value, static_cast<int>(delta),
                       width, where);
}
SIMT_INLINE int __shfl_down_sync(unsigned mask, int value, unsigned delta, int width = warpSize,
                                 simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleDown, mask, value, static_cast<int>(delta),
                       width, where);
}

template <typename T, simt::IfShuffled<T> = 0>
SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize,
                              simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleXor, mask, value, lane_mask, width, where);
}
SIMT_INLINE int __shfl_xor_sync(unsigned mask, int value, int lane_mask, int width = warpSize,
                                simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleXor, mask, value, lane_mask, width, where);
}

SIMT_INLINE unsigned __ballot_sync(unsigned mask, int predicate,
                                   simt::Location where = simt::Location::current()) {
  return simt::ballot(mask, predicate != 0, where);
}

SIMT_INLINE int __any_sync(unsigned mask, int predicate,
                           simt::Location where = simt::Location::current()) {
  return simt::ballot(mask, predicate != 0, where) != 0;
}

SIMT_INLINE int __all_sync(unsigned mask, int predicate,
                           simt::Location where = simt::Location::current()) {
  return simt::ballot(mask, predicate == 0, where) == 0;
}

/// The lanes that run this together. A GPU promises no more than that; here they are all that get
/// here before something makes them wait.
SIMT_INLINE unsigned __activemask(simt::Location where = simt::Location::current()) {
  return simt::active_lanes(where);
}

// ---- match and reduce: every lane reads the value of each lane of the mask in turn ------------

namespace simt {

/// Calls `function(lane, value)` for each lane of `mask`, ascending.
template <typename T, typename Function>
SIMT_INLINE void for_each_lane(unsigned mask, T value, Location where, Function function) {
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    function(lane, shuffle(WarpOperation::kShuffleIndex, mask, value, lane, warpSize, where));
  }
}

template <typename T, typename Operation>
SIMT_INLINE T reduce_lanes(unsigned mask, T value, Location where, Operation operation) {
  T result = value;
  bool first = true;
  for_each_lane(mask, value, where, [&](int, T other) {
    result = first ? other : operation(result, other);
    first = false;
  });
  return result;
}

}  // namespace simt

/// The lanes of `mask` whose value has the same bits.
template <typename T, simt::IfShuffled<T> = 0>
SIMT_INLINE unsigned __match_any_sync(unsigned mask, T value,
                                      simt::Location where = simt::Location::current()) {
  unsigned matching = 0;
  simt::for_each_lane(mask, value, where, [&](int lane, T other) {
    if (std::memcmp(&other, &value, sizeof(T)) == 0) matching |= 1u << lane;
  });
  return matching;
}

/// `mask` if all its lanes' values have the same bits, else 0; `*all` tells which.
template <typename T, simt::IfShuffled<T> = 0>
SIMT_INLINE unsigned __match_all_sync(unsigned mask, T value, int* all,
                                      simt::Location where = simt::Location::current()) {
  *all = __match_any_sync(mask, value, where) == mask;
  return *all != 0 ? mask : 0;
}

#define SIMT_REDUCE(name, T, expression)                                                         \
  SIMT_INLINE T name(unsigned mask, T value, simt::Location where = simt::Location::current()) { \
    return simt::reduce_lanes(mask, value, where, [](T a, T b) -> T { return expression; });     \
  }
// Signed sums wrap, as on a GPU.
SIMT_REDUCE(__reduce_add_sync, int,
            static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
SIMT_REDUCE(__reduce_add_sync, unsigned, a + b)
SIMT_REDUCE(__reduce_min_sync, int, a < b ? a : b)
SIMT_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
SIMT_REDUCE(__reduce_max_sync, int, a > b ? a : b)
SIMT_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
SIMT_REDUCE(__reduce_and_sync, unsigned, (a & b))
SIMT_REDUCE(__reduce_or_sync, unsigned, a | b)
SIMT_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef SIMT_REDUCE
