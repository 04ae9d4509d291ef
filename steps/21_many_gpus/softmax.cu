// Step 21: many GPUs
//
// The columns of a row are split among ranks, a GPU each. A rank finds (m, d) of its slice, one
// all-gather tells everybody the pairs of all, and each rank combines them and makes its own
// results: 8 bytes a row and rank cross the link, however long the row.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nccl.h>
#include <type_traits>

#include "common/ranks/rank_step.h"

namespace {

using worklog::SliceResult;

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

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
__device__ void store(Vector vector, T* y, std::int64_t i) {
  const T* values = reinterpret_cast<const T*>(&vector);
  if (reinterpret_cast<std::uintptr_t>(y) % sizeof(Vector) == 0) {
    reinterpret_cast<Vector*>(y)[i] = vector;
  } else {
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) {
      y[i * kPerVector<T> + j] = values[j];
    }
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

// Two values of two bytes, which are compared at once.
template <typename T>
using Pair = std::conditional_t<std::is_same_v<T, __half>, __half2, __nv_bfloat162>;

// The largest of m and a vector's values, or NaN.
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

// The combination of what two parts know.
template <typename T>
__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float m = max_or_nan(a.m, b.m);
  const float of_a = ratio_of<T>(a.m, m);
  const float of_b = ratio_of<T>(b.m, m);
  return {m, sum({a.d.value * of_a, a.d.rest * of_a}, {b.d.value * of_b, b.d.rest * of_b})};
}

// Vectors of a thread that are on their way at once, blockDim.x apart. Those from `end` on read as
// -inf, which adds nothing.
constexpr int kInFlight = 4;
struct Tile {
  Vector vectors[kInFlight];
};

template <typename T>
__device__ Tile load(const Vector* x, std::int64_t first, std::int64_t end) {
  Tile tile;
#pragma unroll
  for (int i = 0; i < kInFlight; ++i) {
    const std::int64_t vector = first + i * static_cast<int>(blockDim.x);
    tile.vectors[i] = vector < end ? x[vector] : nothing<T>();
  }
  return tile;
}

// What is known of a part, and of a tile more. The tile seldom has a new maximum.
template <typename T>
__device__ Normalizer add_tile(Normalizer part, const Tile& tile) {
  float m = part.m;
#pragma unroll
  for (int i = 0; i < kInFlight; ++i) {
    m = max_of<T>(tile.vectors[i], m);
  }
  if (m != part.m) part = combine<T>(part, {m, {}});
  const Origin origin = origin_of_part(m);
  TwoFloats d = {kStart<T>};
#pragma unroll
  for (int i = 0; i < kInFlight * kPerVector<T>; ++i) {
    const T x = reinterpret_cast<const T*>(tile.vectors)[i];
    d = add<T>(d, exponential_of<T>(static_cast<float>(x), origin));
  }
  return {m, sum(part.d, {d.value - kStart<T>, d.rest})};
}

// The vectors of a slice's row that a block has: whole lines of the cache, if the row begins with
// one. The last blocks may have fewer, or none.
struct Share {
  std::int64_t begin;
  std::int64_t end;
};
__device__ Share share_of(std::int64_t vectors, int part, int parts) {
  constexpr int kPerLine = 128 / sizeof(Vector);
  const std::int64_t lines = (vectors + kPerLine - 1) / kPerLine;
  const std::int64_t share = (lines + parts - 1) / parts * kPerLine;
  return {min(part * share, vectors), min((part + 1) * share, vectors)};
}

// What a rank tells the others of its part of a row: 8 bytes. d takes its rest along, so that it is
// off by half an ulp at most.
struct Told {
  float m;
  float d;
};

__device__ Told told_of(Normalizer part) {
  return {part.m, part.d.value + part.d.rest};
}

// The label's logit of a row if the slice has it, else 0: one rank has it, so that the sum of what
// all ranks tell is the logit.
template <typename T>
__device__ float label_logit_of(const T* x, std::int64_t label, std::int64_t first_col,
                                std::int64_t cols) {
  const std::int64_t col = label - first_col;
  return col >= 0 && col < cols ? static_cast<float>(x[col]) : 0.0f;
}

// What a slice knows of each row. `parts` blocks have a row; if it is more than one, they leave
// their results in `of_parts` and tell() combines them. `labels` is null, and `label_logits` is not
// there, for all results but a cross-entropy.
template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    know(const T* logits, std::int64_t cols, std::int64_t first_col, const std::int64_t* labels,
         int parts, Normalizer* of_parts, Told* told, float* label_logits) {
  const int row = static_cast<int>(blockIdx.x) / parts;
  const int part = static_cast<int>(blockIdx.x) % parts;
  const T* x = logits + row * cols;
  const Cut cut = cut_row(x, cols);
  const auto* vectors = reinterpret_cast<const Vector*>(x + cut.head);
  const Share share = share_of(cut.vectors, part, parts);
  const int thread = static_cast<int>(threadIdx.x);
  const int stride = kInFlight * static_cast<int>(blockDim.x);

  Normalizer known;
  if (part == 0 && thread < cut.edges) {
    const std::int64_t edge = thread < cut.head ? thread : thread + cut.vectors * kPerVector<T>;
    known.m = static_cast<float>(x[edge]);
    known.d.value = exponential_of<T>(known.m, origin_of_part(known.m));
  }
  for (std::int64_t first = share.begin + thread; first < share.end; first += stride) {
    known = add_tile<T>(known, load<T>(vectors, first, share.end));
  }
  known = block_combine<T>(warp_combine<T>(known));

  if (thread != 0) return;
  if (parts > 1) {
    of_parts[blockIdx.x] = known;
  } else {
    told[row] = told_of(known);
  }
  if (part == 0 && labels != nullptr) {
    label_logits[row] = label_logit_of(x, labels[row], first_col, cols);
  }
}

// What the blocks of a row know together: a warp has a row.
template <typename T>
__global__ void tell(const Normalizer* of_parts, int parts, Told* told) {
  const int row = static_cast<int>(blockIdx.x);
  Normalizer known;
  for (int part = static_cast<int>(threadIdx.x); part < parts; part += kWarpSize) {
    known = combine<T>(known, of_parts[row * parts + part]);
  }
  known = warp_combine<T>(known);
  if (threadIdx.x == 0) told[row] = told_of(known);
}

// What all ranks have told: those of rank r begin at r * stride, the label's logits behind the
// pairs of all rows.
struct OfRanks {
  const float* numbers;
  std::int64_t stride;
  int ranks;

  __device__ Told told(int rank, int row) const {
    return reinterpret_cast<const Told*>(numbers + rank * stride)[row];
  }
  __device__ float label_logit(int rank, int row, std::int64_t rows) const {
    return numbers[rank * stride + 2 * rows + row];
  }
};

// The combination of what the ranks know, for each lane of a warp.
template <typename T>
__device__ Normalizer ranks_combine(OfRanks of_ranks, int row) {
  Normalizer known;
  for (int rank = threadIdx.x % kWarpSize; rank < of_ranks.ranks; rank += kWarpSize) {
    const Told told = of_ranks.told(rank, row);
    known = combine<T>(known, {told.m, {told.d}});
  }
  return warp_combine<T>(known);
}

// What a row makes of its logits.
struct Row {
  float m;
  Origin origin;
  TwoFloats factor;  // 1 / d
  float log_d;       // of d against exp(m)
};

// log(d): the maximum's own exponential is what d is a multiple of.
template <typename T>
__device__ Row row_of(Normalizer known, bool has_label) {
  const Origin origin = origin_of(known.m);
  const float of_m = exponential_of<T>(known.m, origin);
  const float zero_or_nan = known.m - known.m;
  const float log_d = fmaxf(logf((known.d.value + known.d.rest) / of_m), 0.0f) + zero_or_nan;
  return {known.m, origin, inverse(known.d, has_label ? known.m : kNan), log_d};
}

template <typename T, SliceResult kResult>
__device__ T result_of(T logit, const Row& row, bool is_label) {
  const auto x = static_cast<float>(logit);
  if constexpr (kResult == SliceResult::kLogSoftmax) {
    return static_cast<T>((x - row.m) - row.log_d);
  }
  const float p = times<T>(exponential_of<T>(x, row.origin), row.factor);
  return static_cast<T>(is_label ? p - 1.0f : p);
}

// What a cross-entropy has beside the slices.
struct Losses {
  const std::int64_t* labels;
  float* losses;
  float* log_sum_exps;
};

// The results of a slice, whose rows come in reverse: of those that know() has read last, the L2
// cache still has something.
template <typename T, SliceResult kResult>
__global__ void __launch_bounds__(kMaxThreads)
    finish(const T* logits, T* results, std::int64_t rows, std::int64_t cols,
           std::int64_t first_col, std::int64_t all_cols, int parts, OfRanks of_ranks,
           Losses losses) {
  constexpr bool kHasLabels = kResult == SliceResult::kCrossEntropy;
  const int row_index = static_cast<int>(rows - 1 - blockIdx.x / parts);
  const int part = static_cast<int>(blockIdx.x) % parts;
  const T* x = logits + row_index * cols;
  T* y = results + row_index * cols;
  const Cut cut = cut_row(x, cols);
  const auto* vectors = reinterpret_cast<const Vector*>(x + cut.head);
  const Share share = share_of(cut.vectors, part, parts);
  const int thread = static_cast<int>(threadIdx.x);
  const int stride = kInFlight * static_cast<int>(blockDim.x);

  const std::int64_t label = kHasLabels ? losses.labels[row_index] : 0;
  const bool has_label = label >= 0 && label < all_cols;
  const std::int64_t label_col = kHasLabels ? label - first_col : -1;
  const Row row = row_of<T>(ranks_combine<T>(of_ranks, row_index), has_label);
  if (kHasLabels && part == 0 && thread == 0) {
    float logit = 0.0f;
    for (int rank = 0; rank < of_ranks.ranks; ++rank) {
      logit += of_ranks.label_logit(rank, row_index, rows);
    }
    losses.losses[row_index] = has_label ? row.log_d - (logit - row.m) : kNan;
    losses.log_sum_exps[row_index] = row.m + row.log_d;
  }

  if (part == 0 && thread < cut.edges) {
    const std::int64_t edge = thread < cut.head ? thread : thread + cut.vectors * kPerVector<T>;
    y[edge] = result_of<T, kResult>(x[edge], row, edge == label_col);
  }
  for (std::int64_t first = share.begin + thread; first < share.end; first += stride) {
    Tile tile = load<T>(vectors, first, share.end);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const std::int64_t vector = first + i * static_cast<int>(blockDim.x);
      if (vector >= share.end) break;
      T* values = reinterpret_cast<T*>(&tile.vectors[i]);
      const std::int64_t col = cut.head + vector * kPerVector<T>;
#pragma unroll
      for (int j = 0; j < kPerVector<T>; ++j) {
        values[j] = result_of<T, kResult>(values[j], row, kHasLabels && col + j == label_col);
      }
      store(tile.vectors[i], y + cut.head, vector);
    }
  }
}

constexpr int kThreads = 256;
int threads_of(int block_size) {
  return block_size > 0 ? block_size : kThreads;
}

// The blocks of a row: one, or where there are few rows as many as give each multiprocessor of an
// H200 some, of at least a tile for each thread.
int parts_of(std::int64_t rows, std::int64_t widest, std::size_t element_bytes, int block_size) {
  constexpr std::int64_t kBlocks = 132 * 4;
  const std::int64_t bytes = widest * static_cast<std::int64_t>(element_bytes);
  const std::int64_t tile = std::int64_t{threads_of(block_size)} * kInFlight * sizeof(Vector);
  return static_cast<int>(std::clamp<std::int64_t>(bytes / tile, 1, (kBlocks + rows - 1) / rows));
}

template <typename T>
int parts_of(const worklog::Slice<T>& slice) {
  return parts_of(slice.rows, slice.widest, sizeof(T), slice.block_size);
}

// Floats that a rank tells: m and d of each row, and of a cross-entropy the label's logit.
std::int64_t numbers_of(SliceResult result, std::int64_t rows) {
  return rows * (result == SliceResult::kCrossEntropy ? 3 : 2);
}

// Leaves what this rank tells of its slice in `mine`.
template <typename T>
void launch_know(const worklog::Slice<T>& slice, float* mine, cudaStream_t stream) {
  const int parts = parts_of(slice);
  const dim3 grid(static_cast<unsigned>(slice.rows * parts));
  const dim3 block(threads_of(slice.block_size));
  auto* told = reinterpret_cast<Told*>(mine);
  auto* of_parts = slice.scratch.template take<Normalizer>(grid.x);
  const bool has_labels = slice.result == SliceResult::kCrossEntropy;
  know<T><<<grid, block, 0, stream>>>(slice.logits, slice.cols, slice.first_col,
                                      has_labels ? slice.labels : nullptr, parts, of_parts, told,
                                      has_labels ? mine + 2 * slice.rows : nullptr);
  worklog::check_launch("know", grid, block);
  if (parts == 1) return;
  const dim3 rows(static_cast<unsigned>(slice.rows));
  tell<T><<<rows, kWarpSize, 0, stream>>>(of_parts, parts, told);
  worklog::check_launch("tell", rows, kWarpSize);
}

template <typename T, SliceResult kResult>
void launch_finish(const worklog::Slice<T>& slice, OfRanks of_ranks, cudaStream_t stream) {
  const int parts = parts_of(slice);
  const dim3 grid(static_cast<unsigned>(slice.rows * parts));
  const dim3 block(threads_of(slice.block_size));
  const Losses losses = {slice.labels, slice.losses, slice.log_sum_exps};
  finish<T, kResult><<<grid, block, 0, stream>>>(slice.logits, slice.results, slice.rows,
                                                 slice.cols, slice.first_col, slice.all_cols, parts,
                                                 of_ranks, losses);
  worklog::check_launch("finish", grid, block);
}

template <typename T>
void launch(const worklog::Slice<T>& slice, cudaStream_t stream) {
  const std::int64_t numbers = numbers_of(slice.result, slice.rows);
  float* of_ranks = slice.scratch.template take<float>(slice.ranks * numbers);
  float* mine = of_ranks + slice.rank * numbers;

  launch_know(slice, mine, stream);
  worklog::check_nccl(ncclAllGather(mine, of_ranks, static_cast<std::size_t>(numbers), ncclFloat,
                                    slice.communicator, stream),
                      "ncclAllGather");
  const OfRanks told = {of_ranks, numbers, slice.ranks};
  switch (slice.result) {
    case SliceResult::kSoftmax:
      return launch_finish<T, SliceResult::kSoftmax>(slice, told, stream);
    case SliceResult::kLogSoftmax:
      return launch_finish<T, SliceResult::kLogSoftmax>(slice, told, stream);
    case SliceResult::kCrossEntropy:
      return launch_finish<T, SliceResult::kCrossEntropy>(slice, told, stream);
  }
}

std::int64_t bytes_a_row(const worklog::SliceShape& shape) {
  return numbers_of(shape.result, 1) * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t scratch_bytes(const worklog::SliceShape& shape) {
  const int parts = parts_of(shape.rows, shape.widest, shape.element_bytes, shape.block_size);
  return worklog::Scratch::bytes_for(shape.ranks * numbers_of(shape.result, shape.rows),
                                     sizeof(float)) +
         worklog::Scratch::bytes_for(shape.rows * parts, sizeof(Normalizer));
}

}  // namespace

// A rank's d is rounded to a float when it is told: by at most 2^-24 of itself, and so of the sum.
WORKLOG_RANK_STEP(launch, {.builds_on = "17_long_row_one_launch",
                           .bytes_a_row = bytes_a_row,
                           .collectives = [](const worklog::SliceShape&) { return 1; },
                           .ulp_of_exchange = [](const worklog::SliceShape&) { return 1.0; },
                           .scratch_bytes = scratch_bytes});
