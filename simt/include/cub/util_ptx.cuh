/// \file
/// Stands in for CUB's header of this name, whose functions are single instructions of PTX.
#pragma once

#include <cuda_runtime.h>

#include <cub/util_arch.cuh>
#include <cub/util_debug.cuh>
#include <cub/util_namespace.cuh>
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

// ---- bits ----

SIMT_INLINE unsigned SHR_ADD(unsigned x, unsigned shift, unsigned addend) {
  return (shift < 32 ? x >> shift : 0) + addend;
}

SIMT_INLINE unsigned SHL_ADD(unsigned x, unsigned shift, unsigned addend) {
  return (shift < 32 ? x << shift : 0) + addend;
}

/// `count` bits of a word from bit `begin` on.
template <typename Bits>
SIMT_INLINE unsigned BFE(Bits source, unsigned begin, unsigned count) {
  constexpr unsigned kBits = 8 * sizeof(unsigned long long);
  if (count == 0 || begin >= kBits) return 0;
  const auto shifted = static_cast<unsigned long long>(source) >> begin;
  return static_cast<unsigned>(count < kBits ? shifted & ((1ull << count) - 1) : shifted);
}

template <typename Bits, int kBytes>
SIMT_INLINE unsigned BFE(Bits source, unsigned begin, unsigned count, Int2Type<kBytes>) {
  return BFE(source, begin, count);
}

/// x with `count` of its bits from bit `begin` on replaced by the lowest of y.
SIMT_INLINE void BFI(unsigned& result, unsigned x, unsigned y, unsigned begin, unsigned count) {
  const unsigned long long low = count < 32 ? (1ull << count) - 1 : 0xffffffffull;
  const auto mask = begin < 32 ? static_cast<unsigned>(low << begin) : 0;
  const auto moved = begin < 32 ? static_cast<unsigned>(std::uint64_t{y} << begin) : 0;
  result = (x & ~mask) | (moved & mask);
}

SIMT_INLINE unsigned IADD3(unsigned x, unsigned y, unsigned z) {
  return x + y + z;
}

SIMT_INLINE int PRMT(unsigned a, unsigned b, unsigned selector) {
  return static_cast<int>(__byte_perm(a, b, selector));
}

SIMT_INLINE float FMUL_RZ(float a, float b) {
  return __fmul_rz(a, b);
}

SIMT_INLINE float FFMA_RZ(float a, float b, float c) {
  return __fmaf_rz(a, b, c);
}

// ---- a thread and its place ----

SIMT_INLINE void ThreadExit() {
  ::simt::exit_thread();
}

SIMT_INLINE void ThreadTrap() {
  __trap();
}

SIMT_INLINE int RowMajorTid(int width, int height, int depth) {
  return (depth == 1 ? 0 : static_cast<int>(threadIdx.z) * width * height) +
         (height == 1 ? 0 : static_cast<int>(threadIdx.y) * width) + static_cast<int>(threadIdx.x);
}

SIMT_INLINE unsigned LaneId() {
  return ::simt::ptx::laneid();
}

/// The number that the threads' order gives a warp, as every block of the executor has it.
SIMT_INLINE unsigned WarpId() {
  const int thread = RowMajorTid(static_cast<int>(blockDim.x), static_cast<int>(blockDim.y),
                                 static_cast<int>(blockDim.z));
  return static_cast<unsigned>(thread / warpSize);
}

template <int kLogicalThreads, int kArchitecture = CUB_PTX_ARCH>
SIMT_INLINE unsigned WarpMask(unsigned warp) {
  const unsigned mask = 0xffffffffu >> (warpSize - kLogicalThreads);
  const bool is_part = PowerOfTwo<kLogicalThreads>::VALUE && kLogicalThreads != warpSize;
  return is_part ? mask << (warp * kLogicalThreads) : mask;
}

SIMT_INLINE unsigned LaneMaskLt() {
  return ::simt::ptx::lanemask_lt();
}
SIMT_INLINE unsigned LaneMaskLe() {
  return ::simt::ptx::lanemask_le();
}
SIMT_INLINE unsigned LaneMaskGt() {
  return ::simt::ptx::lanemask_gt();
}
SIMT_INLINE unsigned LaneMaskGe() {
  return ::simt::ptx::lanemask_ge();
}

// ---- memory that blocks hand on through ----

/// What is loaded or stored at once. A volatile vector is, too, where CUB's own word is a class.
template <std::size_t kBytes>
struct WordAtOnce {
  using Type [[gnu::vector_size(kBytes)]] = unsigned char;
};
template <>
struct WordAtOnce<1> {
  using Type = unsigned char;
};
template <>
struct WordAtOnce<2> {
  using Type = unsigned short;
};
template <>
struct WordAtOnce<4> {
  using Type = unsigned;
};
template <>
struct WordAtOnce<8> {
  using Type = unsigned long long;
};

// ---- threads together ----

SIMT_INLINE void CTA_SYNC() {
  __syncthreads();
}
SIMT_INLINE int CTA_SYNC_AND(int predicate) {
  return __syncthreads_and(predicate);
}
SIMT_INLINE int CTA_SYNC_OR(int predicate) {
  return __syncthreads_or(predicate);
}
SIMT_INLINE void WARP_SYNC(unsigned mask) {
  __syncwarp(mask);
}
SIMT_INLINE int WARP_ANY(int predicate, unsigned mask) {
  return __any_sync(mask, predicate);
}
SIMT_INLINE int WARP_ALL(int predicate, unsigned mask) {
  return __all_sync(mask, predicate);
}
SIMT_INLINE int WARP_BALLOT(int predicate, unsigned mask) {
  return static_cast<int>(__ballot_sync(mask, predicate));
}

/// The last operand of PTX's shuffles: which bits of a lane's number its segment has, and where the
/// segment ends. (NVIDIA, "Parallel Thread Execution ISA", shfl.sync)
struct ShuffleSegment {
  int mask;
  int clamp;

  explicit ShuffleSegment(int flags) : mask(flags >> 8 & 31), clamp(flags & 31) {}
  int width() const { return warpSize - mask; }
  int bound() const { return (static_cast<int>(LaneId()) & mask) | (clamp & ~mask); }
};

SIMT_INLINE unsigned SHFL_UP_SYNC(unsigned word, int offset, int flags, unsigned mask) {
  const ShuffleSegment segment(flags);
  const unsigned other = __shfl_up_sync(mask, word, static_cast<unsigned>(offset), segment.width());
  return static_cast<int>(LaneId()) - offset >= segment.bound() ? other : word;
}

SIMT_INLINE unsigned SHFL_DOWN_SYNC(unsigned word, int offset, int flags, unsigned mask) {
  const ShuffleSegment segment(flags);
  const unsigned other =
      __shfl_down_sync(mask, word, static_cast<unsigned>(offset), segment.width());
  return static_cast<int>(LaneId()) + offset <= segment.bound() ? other : word;
}

SIMT_INLINE unsigned SHFL_IDX_SYNC(unsigned word, int lane, int flags, unsigned mask) {
  return __shfl_sync(mask, word, lane, ShuffleSegment(flags).width());
}

SIMT_INLINE unsigned SHFL_IDX_SYNC(unsigned word, int lane, unsigned mask) {
  return __shfl_sync(mask, word, lane);
}

/// A value of any size, by as many shuffles as CUB has words for it.
template <typename Value, typename Shuffle>
SIMT_INLINE Value shuffle_words(const Value& value, Shuffle shuffle) {
  using Word = typename UnitWord<Value>::ShuffleWord;
  constexpr std::size_t kWords = (sizeof(Value) + sizeof(Word) - 1) / sizeof(Word);
  Word words[kWords] = {};
  __builtin_memcpy(words, static_cast<const void*>(&value), sizeof(Value));
  for (Word& word : words)
    word = static_cast<Word>(shuffle(static_cast<unsigned>(word)));
  Value result;
  __builtin_memcpy(static_cast<void*>(&result), words, sizeof(Value));
  return result;
}

template <int kLogicalThreads, typename Value>
SIMT_INLINE Value ShuffleUp(Value input, int offset, int first_thread, unsigned mask) {
  constexpr int kSegment = (warpSize - kLogicalThreads) << 8;
  return shuffle_words(input, [&](unsigned word) {
    return SHFL_UP_SYNC(word, offset, first_thread | kSegment, mask);
  });
}

template <int kLogicalThreads, typename Value>
SIMT_INLINE Value ShuffleDown(Value input, int offset, int last_thread, unsigned mask) {
  constexpr int kSegment = (warpSize - kLogicalThreads) << 8;
  return shuffle_words(input, [&](unsigned word) {
    return SHFL_DOWN_SYNC(word, offset, last_thread | kSegment, mask);
  });
}

template <int kLogicalThreads, typename Value>
SIMT_INLINE Value ShuffleIndex(Value input, int lane, unsigned mask) {
  constexpr int kSegment = (warpSize - kLogicalThreads) << 8 | (kLogicalThreads - 1);
  return shuffle_words(input,
                       [&](unsigned word) { return SHFL_IDX_SYNC(word, lane, kSegment, mask); });
}

/// The lanes with the same label, of which the lowest bits count; a vote for each, as CUB takes.
template <int kLabelBits>
SIMT_INLINE unsigned MatchAny(unsigned label) {
  unsigned same = 0xffffffffu;
  for (int bit = 0; bit < kLabelBits; ++bit) {
    const bool is_set = (label >> bit & 1) != 0;
    const unsigned set = __ballot_sync(0xffffffffu, is_set);
    same &= is_set ? set : ~set;
  }
  return same;
}

CUB_NAMESPACE_END
