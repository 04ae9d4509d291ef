/// \file
/// Shuffles, votes and reductions of a warp.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/simt/executor/executor.h"
#include "common/simt/include/cuda_standin/qualifiers.h"
#include "common/simt/include/cuda_standin/thread_builtins.h"

namespace simt {

/// Types that a shuffle moves: those of 4 and 8 bytes for which CUDA has an overload; cuda_fp16.h
/// and cuda_bf16.h add theirs.
template <typename T>
inline constexpr bool is_shuffled = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
                                    !std::is_same_v<T, char32_t>;

template <typename T>
concept Shuffled = is_shuffled<T>;

template <typename T>
WORKLOG_SIMT_INLINE T shuffle(WarpOperation operation, unsigned mask, const T& value, int argument,
                              int width, Location where) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t), "a shuffle moves up to 8 bytes");
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  bits = warp_operation(operation, mask, bits, argument, width, where);
  T result;
  __builtin_memcpy(static_cast<void*>(&result), &bits, sizeof(T));
  return result;
}

/// The lanes of `mask` that passed a value other than 0.
WORKLOG_SIMT_INLINE unsigned ballot(unsigned mask, bool predicate, Location where) {
  return static_cast<unsigned>(
      warp_operation(WarpOperation::kBallot, mask, predicate ? 1 : 0, 0, warpSize, where));
}

}  // namespace simt

// Values smaller than an int are promoted to it, as by CUDA's overloads: hence the overload that is
// no template.

template <simt::Shuffled T>
WORKLOG_SIMT_INLINE T __shfl_sync(unsigned mask, T value, int source_lane, int width = warpSize,
                                  simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleIndex, mask, value, source_lane, width, where);
}
WORKLOG_SIMT_INLINE int __shfl_sync(unsigned mask, int value, int source_lane, int width = warpSize,
                                    simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleIndex, mask, value, source_lane, width, where);
}

template <simt::Shuffled T>
WORKLOG_SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                                     simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleUp, mask, value, static_cast<int>(delta), width,
                       where);
}
WORKLOG_SIMT_INLINE int __shfl_up_sync(unsigned mask, int value, unsigned delta,
                                       int width = warpSize,
                                       simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleUp, mask, value, static_cast<int>(delta), width,
                       where);
}

template <simt::Shuffled T>
WORKLOG_SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                                       simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleDown, mask, value, static_cast<int>(delta),
                       width, where);
}
WORKLOG_SIMT_INLINE int __shfl_down_sync(unsigned mask, int value, unsigned delta,
                                         int width = warpSize,
                                         simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleDown, mask, value, static_cast<int>(delta),
                       width, where);
}

template <simt::Shuffled T>
WORKLOG_SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize,
                                      simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleXor, mask, value, lane_mask, width, where);
}
WORKLOG_SIMT_INLINE int __shfl_xor_sync(unsigned mask, int value, int lane_mask,
                                        int width = warpSize,
                                        simt::Location where = simt::Location::current()) {
  return simt::shuffle(simt::WarpOperation::kShuffleXor, mask, value, lane_mask, width, where);
}

WORKLOG_SIMT_INLINE unsigned __ballot_sync(unsigned mask, int predicate,
                                           simt::Location where = simt::Location::current()) {
  return simt::ballot(mask, predicate != 0, where);
}

WORKLOG_SIMT_INLINE int __any_sync(unsigned mask, int predicate,
                                   simt::Location where = simt::Location::current()) {
  return simt::ballot(mask, predicate != 0, where) != 0;
}

WORKLOG_SIMT_INLINE int __all_sync(unsigned mask, int predicate,
                                   simt::Location where = simt::Location::current()) {
  return simt::ballot(mask, predicate == 0, where) == 0;
}

WORKLOG_SIMT_INLINE unsigned __activemask() {
  return simt::active_lanes();
}
