// Step 21, the exchange inside the kernel, of long rows
//
// Step 17 across GPUs: all blocks of all ranks share the few rows that there are, and each block
// tells all others of its row what it knows, on whichever GPU they are. What the chips of all ranks
// together hold is read once.

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "common/ranks/rank_step.h"

namespace {

using worklog::Mailboxes;
using worklog::SliceResult;

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// The logits that a thread holds at most: the 64 registers that a thread of a block of 1024 may
// have hold no more.
constexpr int kMaxPerThread = 32;

// Bytes of a row that wait in shared memory at most: a block of an H200 may have 227 KB, and the
// exchanges between warps need some.
constexpr int kMaxWaiting = 226 * 1024;

// What C++ has no name for.

// 2^x, to 2 ulp; 0 where that is too small for a normal float.
__device__ float exp2_approx(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

// 1 / x, to 1 ulp.
__device__ float reciprocal_approx(float x) {
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  return inverse;
}

// The larger one, but NaN if one of them is: fmaxf would drop it.
__device__ float max_or_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

// A number that one float cannot hold: the float next to it, and what that one is off.
struct TwoFloats {
  float value = 0.0f;
  float rest = 0.0f;
};

// a + b, where only the sum of the two rests is rounded. (Knuth, "The Art of Computer Programming",
// volume 2, section 4.2.2, theorem B)
__device__ TwoFloats sum(TwoFloats a, TwoFloats b) {
  const float value = a.value + b.value;
  const float b_of_value = value - a.value;
  const float a_of_value = value - b_of_value;
  const float rest = (a.value - a_of_value) + (b.value - b_of_value);
  return {value, rest + (a.rest + b.rest)};
}

// 1 / d, which the rest makes exact whatever `value` is off; NaN for a row that has a NaN or +inf,
// or nothing but -inf.
__device__ TwoFloats inverse(TwoFloats d, float m) {
  const float zero_or_nan = m - m;
  const float value = reciprocal_approx(d.value + d.rest) + zero_or_nan;
  return {value, fmaf(-value, d.rest, fmaf(-value, d.value, 1.0f)) * value};
}

// What a row's exponentials are taken against. Rounding x - m to a float would cost |x - m| ulp of
// exp(x - m). But instead of exp(m) any number near it will do, for it cancels out of e / d, and a
// division by a power of two has no error: exp(x) / 2^k, where k is m log2 e, rounded.
constexpr float kLog2E = 1.44269504f;      // 1 / ln 2
constexpr float kLn2 = 0.693147182f;       // the float next to ln 2
constexpr float kLn2Rest = -1.904654e-9f;  // and what that is off
constexpr float kGuard = 0x1p64f;          // e is so many times as large, lest it be subnormal
constexpr float kGuardExponent = 64.0f;
constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23: what is added to it is rounded
struct Origin {
  float shift;       // of x: a multiple of 2^20, and 0 for |m| below; every x - shift that matters
                     // is exact
  float to_integer;  // x log2 e + this is rounded, and its last bits are added to an exponent
  float smallest;    // of x - shift: below, e / d is closer to 0 than to any float
  float log2_base;   // for results of two bytes: e is log2_base^x / 2^scaled_m, where log2_base
  float scaled_m;    // is log2 e for |m| below 2^20
};

__device__ Origin origin_by(float shift, float k) {
  constexpr float kDepth = 188.0f;
  return {shift, kRounder + (kGuardExponent - k), (k - kDepth) * kLn2, 0.0f, 0.0f};
}

__device__ Origin origin_of(float m) {
  const float shift = fabsf(m) < 0x1p20f ? 0.0f : truncf(m * 0x1p-20f) * 0x1p20f;
  Origin origin = origin_by(shift, fmaf(m - shift, kLog2E, kRounder) - kRounder);
  // From 2^20 on, numbers of two bytes lie so far apart that all but the largest become 0, to any
  // base.
  origin.log2_base = shift == 0.0f ? kLog2E : 1.0f;
  origin.scaled_m = fmaf(m, origin.log2_base, -kGuardExponent);
  return origin;
}

// exp(x) / 2^k, to 1 ulp: exp(x) = 2^n exp(r), where x = n ln 2 + r with |r| <= ln(2) / 2. (Cody
// and Waite, "Software Manual for the Elementary Functions", chapter 6)
__device__ float exponential(float x, Origin origin) {
  constexpr int kMantissaBits = 23;
  const float t = fmaxf(x - origin.shift, origin.smallest);
  const float shifted = fmaf(t, kLog2E, origin.to_integer);
  const float n = shifted - origin.to_integer;
  const float r = fmaf(n, -kLn2Rest, fmaf(n, -kLn2, t));
  // A polynomial that was interpolated at Chebyshev's points: 10^-8 off at most.
  float exp_r = 0.00139264006f;
  exp_r = fmaf(exp_r, r, 0.00836335309f);
  exp_r = fmaf(exp_r, r, 0.0416665524f);
  exp_r = fmaf(exp_r, r, 0.166665763f);
  exp_r = fmaf(exp_r, r, 0.5f);
  exp_r = fmaf(exp_r, r, 1.0f);
  exp_r = fmaf(exp_r, r, 1.0f);
  return __uint_as_float(__float_as_uint(exp_r) + (__float_as_uint(shifted) << kMantissaBits));
}

// Results of two bytes have too few digits to show what rounding drops, or what a fast exponential
// does.
template <typename T>
constexpr bool kIsExact = std::is_same_v<T, float>;

// What stands for exp(x - m).
template <typename T>
__device__ float exponential_of(float x, Origin origin) {
  if constexpr (kIsExact<T>) {
    return exponential(x, origin);
  } else {
    return exp2_approx(fmaf(x, origin.log2_base, -origin.scaled_m));
  }
}

// d + e for d >= e, in half of the instructions that `sum` takes. (Dekker, "A floating-point
// technique for extending the available precision", section 4)
template <typename T>
__device__ TwoFloats add(TwoFloats d, float e) {
  const float value = d.value + e;
  if constexpr (kIsExact<T>) d.rest += e - (value - d.value);
  return {value, d.rest};
}

// What a lane's d begins with, and loses again at the end: no exponential is larger.
template <typename T>
constexpr float kStart = kIsExact<T> ? 0x1p65f : 0.0f;

// e / d, given 1 / d.
template <typename T>
__device__ float times(float e, TwoFloats inverse) {
  return kIsExact<T> ? fmaf(e, inverse.value, e * inverse.rest) : e * inverse.value;
}

// What is known of a part of a row: its maximum m, and d, the sum of its exponentials, which are
// taken against origin_of_part(m). (Milakov and Gimelshein, "Online normalizer calculation for
// softmax", section 3.1)
struct Normalizer {
  float m = kNegativeInfinity;
  TwoFloats d;
};

// A part may have nothing but -inf, which must not spoil the others.
__device__ Origin origin_of_part(float m) {
  return origin_of(m == kNegativeInfinity ? 0.0f : m);
}

// What makes exponentials of a part with the maximum m_part into those of a row with the maximum m:
// a power of two, and so without an error, unless the two have different shifts.
template <typename T>
__device__ float ratio_of(float m_part, float m) {
  if (m_part == kNegativeInfinity) return 0.0f;
  const Origin part = origin_of(m_part);
  const Origin row = origin_of(m);
  if constexpr (!kIsExact<T>) {
    if (part.log2_base != row.log2_base) return 0.0f;  // the maxima are thousands apart
    return exp2_approx(part.scaled_m - row.scaled_m + kGuardExponent) / kGuard;
  }
  const Origin both = origin_by(0.0f, part.to_integer - row.to_integer);
  return exponential(part.shift - row.shift, both) / kGuard;
}

// The largest value of a warp, for each of its lanes.
__device__ float warp_max(float m) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    m = max_or_nan(m, __shfl_xor_sync(kAllLanes, m, distance));
  }
  return m;
}

__device__ TwoFloats warp_sum(TwoFloats d) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    d = sum(d, {__shfl_xor_sync(kAllLanes, d.value, distance),
                __shfl_xor_sync(kAllLanes, d.rest, distance)});
  }
  return d;
}

// The combination of what 32 lanes know, for each of them.
template <typename T>
__device__ Normalizer warp_combine(Normalizer part) {
  const float m = warp_max(part.m);
  const float ratio = ratio_of<T>(part.m, m);
  return {m, warp_sum({part.d.value * ratio, part.d.rest * ratio})};
}

// The combination of what the warps of a block know, for each of its threads: one barrier, after
// which every warp looks at the results of all.
template <typename T>
__device__ Normalizer block_combine(Normalizer mine) {
  __shared__ Normalizer of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  if (lane == 0) of_warps[warp] = mine;
  __syncthreads();
  return warp_combine<T>(lane < warps ? of_warps[lane] : Normalizer{});
}

// 16 bytes, the most that a thread loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// A row cut where its addresses are multiples of 16 bytes: the head before the first such place,
// whole vectors, and the tail. Head and tail are the edges, an element a thread.
struct Cut {
  std::int64_t head;     // elements
  std::int64_t vectors;  // vectors
  std::int64_t edges;    // elements of head and tail together
};

template <typename T>
__device__ Cut cut_row(const T* x, std::int64_t cols) {
  static_assert(2 * kPerVector<T> <= kWarpSize, "any block has a thread for every edge element");
  const int past = reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) / sizeof(T);
  const int head = (kPerVector<T> - past) % kPerVector<T>;
  const std::int64_t vectors = cols > head ? (cols - head) / kPerVector<T> : 0;
  return {head, vectors, cols - vectors * kPerVector<T>};
}

// Stores vector i of the row at `y`; element by element where `y` is not aligned as the logits are.
template <typename T>
__device__ void store(Vector vector, T* y, int i) {
  const T* values = reinterpret_cast<const T*>(&vector);
  if (reinterpret_cast<std::uintptr_t>(y) % sizeof(Vector) == 0) {
    reinterpret_cast<Vector*>(y)[i] = vector;
  } else {
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) {
      y[std::int64_t{i} * kPerVector<T> + j] = values[j];
    }
  }
}

// The vectors of each block's share of a row: whole lines of the cache, if the row begins with one.
// The last blocks may have fewer.
__host__ __device__ constexpr std::int64_t share_of(std::int64_t vectors, int blocks) {
  constexpr int kPerLine = 128 / sizeof(Vector);
  const std::int64_t lines = (vectors + kPerLine - 1) / kPerLine;
  return (lines + blocks - 1) / blocks * kPerLine;
}

// The combination of what two parts know.
template <typename T>
__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float m = max_or_nan(a.m, b.m);
  const float of_a = ratio_of<T>(a.m, m);
  const float of_b = ratio_of<T>(b.m, m);
  return {m, sum({a.d.value * of_a, a.d.rest * of_a}, {b.d.value * of_b, b.d.rest * of_b})};
}

// Blocks on other GPUs are as near as those on this one: each of a row's blocks, on all ranks, gets
// a word from each. `parts` blocks of every rank have a row.
struct Exchange {
  unsigned long long* const* of_ranks;  // each rank's mailbox
  std::int64_t in_use;                  // where the part of this launch begins
  std::int64_t to_empty;                // and that of the launch after the next
  int rank;
  int ranks;
  int parts;
  long long patience;
  int* missing;  // see Mailboxes

  // The first word of a row in a part of a mailbox that begins at `base`.
  __device__ std::int64_t first_of(std::int64_t base, std::int64_t row) const {
    return base + row * ranks * parts;
  }
};

using Word = cuda::atomic_ref<unsigned long long, cuda::thread_scope_system>;

// A word has m and d, which takes its rest along: it is off by half an ulp at most. No word is
// Mailboxes::kEmpty, since a sum of exponentials has no sign: a NaN loses its own.
__device__ unsigned long long word_of(Normalizer part) {
  constexpr unsigned kSign = 0x80000000;
  const unsigned d = __float_as_uint(part.d.value + part.d.rest) & ~kSign;
  return static_cast<unsigned long long>(d) << 32 | __float_as_uint(part.m);
}

__device__ Normalizer known_by(unsigned long long word) {
  return {__uint_as_float(static_cast<unsigned>(word)),
          {__uint_as_float(static_cast<unsigned>(word >> 32))}};
}

// Whether to wait no longer: another thread of this GPU has waited in vain, now or in a launch
// before, or the host has lost patience.
__device__ bool is_over(const Exchange& exchange) {
  using State = cuda::atomic_ref<int, cuda::thread_scope_system>;
  return State(exchange.missing[0]).load(cuda::memory_order_relaxed) >= 0 ||
         State(exchange.missing[1]).load(cuda::memory_order_relaxed) != 0;
}

// The word that comes, or kEmpty once patience has ended.
__device__ unsigned long long await(unsigned long long& place, const Exchange& exchange) {
  constexpr long long kLooksUntilNews = 1024;
  unsigned long long word = Mailboxes::kEmpty;
  for (long long looks = 1; looks <= exchange.patience && word == Mailboxes::kEmpty; ++looks) {
    word = Word(place).load(cuda::memory_order_relaxed);
    if (looks % kLooksUntilNews == 0 && is_over(exchange)) break;
  }
  return word;
}

// What all blocks of a row know, those of other ranks too, for each thread of a block; and whether
// all of them have come.
struct Answer {
  Normalizer known;
  bool is_whole;
};

template <typename T>
__device__ Answer ranks_combine(Normalizer mine, int row, int part, const Exchange& exchange) {
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const std::int64_t first = exchange.first_of(exchange.in_use, row);
  const std::int64_t first_to_empty = exchange.first_of(exchange.to_empty, row);
  unsigned long long* own = exchange.of_ranks[exchange.rank];

  mine = block_combine<T>(mine);
  for (int rank = thread; rank < exchange.ranks; rank += threads) {
    unsigned long long* theirs = exchange.of_ranks[rank];
    Word(theirs[first + exchange.rank * exchange.parts + part])
        .store(word_of(mine), cuda::memory_order_relaxed);
    Word(own[first_to_empty + rank * exchange.parts + part])
        .store(Mailboxes::kEmpty, cuda::memory_order_relaxed);
  }
  Normalizer known;
  bool is_whole = true;
  for (int i = thread; i < exchange.ranks * exchange.parts && is_whole; i += threads) {
    const unsigned long long word = await(own[first + i], exchange);
    is_whole = word != Mailboxes::kEmpty;
    if (!is_whole) atomicCAS(exchange.missing, -1, i / exchange.parts);
    known = combine<T>(known, known_by(word));
  }
  is_whole = __syncthreads_and(is_whole) != 0;  // and all have read of_warps
  return {block_combine<T>(warp_combine<T>(known)), is_whole};
}

// The vectors of a block's share that a thread holds in registers, and those that wait in the
// block's shared memory. What is left is read again.
template <typename T>
constexpr int kHeld = kMaxPerThread / kPerVector<T>;
constexpr int kWaiting = kMaxWaiting / static_cast<int>(sizeof(Vector));

// What waits comes in groups: while one is worked on, the next is on its way.
constexpr int kGroups = 4;

// Vectors that are read again: so many of a thread are on their way at once.
constexpr int kInFlight = 2;

// Whether no thread of the block has an i-th vector. Results of two bytes do not ask, which would
// cost them more than it saves.
template <typename T>
__device__ bool is_past(int i, int vectors) {
  return kIsExact<T> && i * static_cast<int>(blockDim.x) >= vectors;
}

// Replaces a vector's logits by their exponentials and returns their sum added to d. Those of a
// half are taken again when they are needed, since the vector has no room for them.
template <typename T>
__device__ TwoFloats add_exponentials(Vector& vector, Origin origin, TwoFloats d) {
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    const float e = exponential_of<T>(static_cast<float>(values[i]), origin);
    d = add<T>(d, e);
    if constexpr (kIsExact<T>) values[i] = e;
  }
  return d;
}

// The probabilities of a vector that add_exponentials has seen. Its ratio comes first: small ones
// would be rounded twice if it came last.
template <typename T>
__device__ Vector probabilities_of(Vector vector, Origin row, TwoFloats factor, float ratio) {
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    if constexpr (kIsExact<T>) {
      values[i] = times<T>(values[i] * ratio, factor);
    } else {
      values[i] =
          static_cast<T>(times<T>(exponential_of<T>(static_cast<float>(values[i]), row), factor));
    }
  }
  return vector;
}

// Two values of two bytes, which are compared at once.
template <typename T>
using Pair = std::conditional_t<std::is_same_v<T, __half>, __half2, __nv_bfloat162>;

// The largest of m and a vector's values, or NaN. Takes the vector by value, so that one in shared
// memory is loaded as a whole.
template <typename T>
__device__ float max_of(Vector vector, float m) {
  if constexpr (sizeof(T) == sizeof(float)) {
    const auto* values = reinterpret_cast<const float*>(&vector);
#pragma unroll
    for (int i = 0; i < kPerVector<T>; ++i) {
      m = max_or_nan(m, values[i]);
    }
    return m;
  } else {
    const auto* pairs = reinterpret_cast<const Pair<T>*>(&vector);
    Pair<T> largest = pairs[0];
#pragma unroll
    for (int i = 1; i < kPerVector<T> / 2; ++i) {
      largest = __hmax2_nan(largest, pairs[i]);
    }
    return max_or_nan(m, max_or_nan(__low2float(largest), __high2float(largest)));
  }
}

template <typename T>
__device__ Vector nothing() {
  Vector vector;
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    values[i] = static_cast<T>(kNegativeInfinity);
  }
  return vector;
}

// What is known of a part, against a maximum that is no smaller. It seldom is a new one.
template <typename T>
__device__ Normalizer raised(Normalizer part, float m) {
  return m == part.m ? part : combine<T>(part, {m, {}});
}

// What is known of a part, and of one more vector.
template <typename T>
__device__ Normalizer add_vector(Normalizer part, Vector vector) {
  const float m = max_of<T>(vector, part.m);
  const TwoFloats d = add_exponentials<T>(vector, origin_of_part(m), {kStart<T>});
  return {m, sum(raised<T>(part, m).d, {d.value - kStart<T>, d.rest})};
}

// The vectors first and first + blockDim.x. Those from `end` on read as -inf, which adds nothing.
struct InFlight {
  Vector vectors[kInFlight];
};
template <typename T>
__device__ InFlight load(const Vector* x, int first, int end) {
  InFlight loaded;
#pragma unroll
  for (int i = 0; i < kInFlight; ++i) {
    const int vector = first + i * static_cast<int>(blockDim.x);
    loaded.vectors[i] = vector < end ? x[vector] : nothing<T>();
  }
  return loaded;
}

// Vectors of a block's share.
struct Range {
  int begin;
  int end;
};

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    softmax(const T* logits, T* probabilities, std::int64_t cols, Exchange exchange) {
  extern __shared__ Vector waiting[];
  const int blocks = exchange.parts;
  const int row_index = static_cast<int>(blockIdx.x) / blocks;
  const int block = static_cast<int>(blockIdx.x) % blocks;
  const T* x = logits + row_index * cols;
  T* y = probabilities + row_index * cols;
  const Cut cut = cut_row(x, cols);
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const bool has_edge = block == 0 && thread < cut.edges;
  const std::int64_t edge = thread < cut.head ? thread : thread + cut.vectors * kPerVector<T>;

  // The block's share of the vectors: the first are held, others wait, and the rest is left.
  const std::int64_t share = share_of(cut.vectors, blocks);
  const std::int64_t begin = min(block * share, cut.vectors);
  const auto end = static_cast<int>(min(share, cut.vectors - begin));
  const auto* x_share = reinterpret_cast<const Vector*>(x + cut.head) + begin;
  T* y_share = y + cut.head + begin * kPerVector<T>;
  const int held = kHeld<T> * threads;
  const int first_left = held + kWaiting;
  const int end_waiting = min(first_left, end);

  const int turns = (end_waiting - held + threads - 1) / threads;
  const int per_group = (turns + kGroups - 1) / kGroups * threads;
  const auto group_of = [&](int g) {
    const int first = held + g * per_group;
    return Range{first, min(first + per_group, end_waiting)};
  };
  const auto fetch = [&](Range group) {
    for (int i = group.begin + thread; i < group.end; i += threads) {
      __pipeline_memcpy_async(&waiting[i - held], &x_share[i], sizeof(Vector));
    }
    __pipeline_commit();
  };

  Vector tile[kHeld<T>];
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end)) break;
    const int vector = thread + i * threads;
    tile[i] = vector < end ? x_share[vector] : nothing<T>();
  }
  const float x_edge = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  fetch(group_of(0));

  float m = x_edge;
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end)) break;
    m = max_of<T>(tile[i], m);
  }
  const float m_of_tile = warp_max(m);
  const Origin origin = origin_of_part(m_of_tile);
  const float e_edge = exponential_of<T>(x_edge, origin);
  TwoFloats d = add<T>({kStart<T>}, e_edge);
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end)) break;
    d = add_exponentials<T>(tile[i], origin, d);
  }
  Normalizer part = {m_of_tile, {d.value - kStart<T>, d.rest}};

  float m_of_group[kGroups];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const Range group = group_of(g);
    if (group.begin >= end_waiting) break;
    fetch(group_of(g + 1));  // nothing, behind the last
    __pipeline_wait_prior(1);
    m = part.m;
    for (int i = group.begin + thread; i < group.end; i += threads) {
      m = max_of<T>(waiting[i - held], m);
    }
    m = warp_max(m);
    m_of_group[g] = m;
    const Origin group_origin = origin_of_part(m);
    d = {kStart<T>};
    for (int i = group.begin + thread; i < group.end; i += threads) {
      Vector vector = waiting[i - held];
      d = add_exponentials<T>(vector, group_origin, d);
      if constexpr (kIsExact<T>) waiting[i - held] = vector;
    }
    part = {m, sum(raised<T>(part, m).d, {d.value - kStart<T>, d.rest})};
  }
  const int stride = kInFlight * threads;
  for (int first = first_left + thread; first < end; first += stride) {
    const InFlight loaded = load<T>(x_share, first, end);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      part = add_vector<T>(part, loaded.vectors[i]);
    }
  }
  const Answer answer = ranks_combine<T>(warp_combine<T>(part), row_index, block, exchange);
  if (!answer.is_whole) return;
  const Normalizer row = answer.known;

  // What was read last is in the caches: it comes first.
  const Origin row_origin = origin_of(row.m);
  const TwoFloats factor = inverse(row.d, row.m);
  const int last = max(end - first_left - 1, 0) / stride * stride;
  for (int first = first_left + last + thread; first >= first_left; first -= stride) {
    InFlight loaded = load<T>(x_share, first, end);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const int vector = first + i * threads;
      if (vector >= end) continue;
      add_exponentials<T>(loaded.vectors[i], row_origin, {});  // the sum is known
      store(probabilities_of<T>(loaded.vectors[i], row_origin, factor, 1.0f), y_share, vector);
    }
  }
  const float ratio = ratio_of<T>(m_of_tile, row.m);
  if (has_edge) y[edge] = static_cast<T>(times<T>(e_edge * ratio, factor));
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end)) break;
    const int vector = thread + i * threads;
    if (vector < end) {
      store(probabilities_of<T>(tile[i], row_origin, factor, ratio), y_share, vector);
    }
  }
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const Range group = group_of(g);
    if (group.begin >= end_waiting) break;
    const float group_ratio = ratio_of<T>(m_of_group[g], row.m);
    for (int i = group.begin + thread; i < group.end; i += threads) {
      store(probabilities_of<T>(waiting[i - held], row_origin, factor, group_ratio), y_share, i);
    }
  }
}

// One block a multiprocessor of an H200, shared out among the rows; fewer for rows of which each
// would have no more than a thousand columns, or half of that.
constexpr int kMaxRows = 16;
constexpr std::int64_t kMultiprocessors = 132;
std::int64_t blocks_for(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kFewestCols = 1024;
  return std::min(kMultiprocessors / rows, (cols + kFewestCols - 1) / kFewestCols);
}

int parts_of(const worklog::SliceShape& shape) {
  return static_cast<int>(blocks_for(shape.rows, shape.widest));
}

// As few threads as hold a part in registers, or as many as there may be.
template <typename T>
int threads_for(std::int64_t widest, int parts) {
  constexpr std::int64_t kOfWarp = std::int64_t{kHeld<T>} * kWarpSize;
  const std::int64_t share = share_of(widest / kPerVector<T>, parts);
  const std::int64_t warps = (share + kOfWarp - 1) / kOfWarp;
  return kWarpSize * static_cast<int>(std::clamp<std::int64_t>(warps, 1, kMaxWarps));
}

template <typename T>
void launch(const worklog::Slice<T>& slice, cudaStream_t stream) {
  if (slice.rows > kMaxRows) {
    throw std::invalid_argument(std::to_string(slice.rows) + " rows: in_kernel_long_row takes at " +
                                "most " + std::to_string(kMaxRows) + "; in_kernel takes more");
  }
  const auto parts = static_cast<int>(blocks_for(slice.rows, slice.widest));
  const Mailboxes& mailboxes = slice.mailboxes;
  const Exchange exchange = {mailboxes.of_ranks,
                             mailboxes.part() * mailboxes.words,
                             mailboxes.part(2) * mailboxes.words,
                             slice.rank,
                             slice.ranks,
                             parts,
                             mailboxes.patience,
                             mailboxes.missing};
  const dim3 grid(static_cast<unsigned>(slice.rows * parts));
  const dim3 block(slice.block_size > 0 ? slice.block_size : threads_for<T>(slice.widest, parts));
  worklog::allow_shared_memory(softmax<T>, "softmax", kMaxWaiting);
  cudaLaunchAttribute cooperative = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = kMaxWaiting;
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, softmax<T>, slice.logits, slice.results, slice.cols, exchange);
  worklog::check_launch("softmax", grid, block, kMaxWaiting);
}

}  // namespace

WORKLOG_RANK_STEP(launch, {.builds_on = "21_many_gpus/in_kernel",
                           .results = {SliceResult::kSoftmax},
                           .bytes_a_row =
                               [](const worklog::SliceShape& shape) {
                                 return std::int64_t{8} * parts_of(shape);
                               },
                           .ulp_of_exchange = [](const worklog::SliceShape&) { return 1.0; },
                           .mailbox_words =
                               [](const worklog::SliceShape& shape) {
                                 return shape.rows * shape.ranks * parts_of(shape);
                               },
                           .max_rows = kMaxRows});
