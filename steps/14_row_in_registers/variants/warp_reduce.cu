// Step 14, variant: one instruction reduces a warp
//
// What step 13's variant of this name does for a row in a warp: a maximum and a sum of 32 lanes
// take an instruction or two on integers, where shuffles follow each other. Two exchanges between
// the warps are then cheaper than one that rescales. In fp32, too, the special function unit takes
// the powers of two.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// The logits that a thread holds at most: the 64 registers that a thread of a block of 1024 may
// have hold no more.
constexpr int kMaxPerThread = 32;

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
constexpr float kLog2E = 1.44269502f;         // the float next to 1 / ln 2
constexpr float kLog2ERest = 1.92596303e-8f;  // and what that is off
constexpr float kLn2 = 0.693147182f;          // the float next to ln 2
constexpr float kGuardExponent = 64.0f;       // e gets so many powers of two more: never subnormal
constexpr float kRounder = 12582912.0f;       // 1.5 * 2^23: what is added to it is rounded
struct Origin {
  float shift;       // of x: a multiple of 2^20, and 0 for |m| below; every x - shift that matters
                     // is exact
  float to_integer;  // x log2 e + this is rounded, and its last bits are added to an exponent
  float smallest;    // of x - shift: below, e / d is closer to 0 than to any float
  float m;           // for results of two bytes
};

__device__ Origin origin_of(float m) {
  constexpr float kDepth = 188.0f;
  const float shift = fabsf(m) < 0x1p20f ? 0.0f : truncf(m * 0x1p-20f) * 0x1p20f;
  const float k = fmaf(m - shift, kLog2E, kRounder) - kRounder;
  return {shift, kRounder + (kGuardExponent - k), (k - kDepth) * kLn2, m};
}

// exp(x) / 2^k, to 1.4 ulp: exp(x) = 2^n 2^f, where x log2 e = n + f with |f| little more than
// 1/2 at most. Two multiply-adds find f from x itself, and the special function unit its power. (As
// Cody and Waite, "Software Manual for the Elementary Functions", chapter 6, find what is left of a
// multiple of ln 2)
__device__ float exponential(float x, Origin origin) {
  constexpr int kMantissaBits = 23;
  const float t = fmaxf(x - origin.shift, origin.smallest);
  const float shifted = fmaf(t, kLog2E, origin.to_integer);
  const float n = shifted - origin.to_integer;
  const float f = fmaf(t, kLog2ERest, fmaf(t, kLog2E, -n));
  const unsigned power = __float_as_uint(exp2_approx(f));
  return __uint_as_float(power + (__float_as_uint(shifted) << kMantissaBits));
}

// Results of two bytes have too few digits to show what rounding drops, or what a fast exponential
// does.
template <typename T>
constexpr bool kIsExact = std::is_same_v<T, float>;

// What stands for exp(x - m): the largest is within a factor of sqrt(2) of 2^kGuardExponent, as the
// units of a sum want it.
template <typename T>
__device__ float exponential_of(float x, Origin origin) {
  if constexpr (kIsExact<T>) {
    return exponential(x, origin);
  } else {
    return exp2_approx(fmaf(x - origin.m, kLog2E, kGuardExponent));
  }
}

// d + e for d >= e, in half of the instructions that it takes for any two. (Dekker, "A
// floating-point technique for extending the available precision", section 4)
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

// A float's bits as a number that is larger where the float is, and the other way round. NaN, as
// max_or_nan gives it, is the largest.
__device__ int ordered(int bits) {
  constexpr int kAllButSign = 0x7fffffff;
  return bits < 0 ? bits ^ kAllButSign : bits;
}

// The largest value of a block, for each of its threads: every warp looks at the results of all.
__device__ float block_max(float m) {
  __shared__ int of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  const int of_warp = __reduce_max_sync(kAllLanes, ordered(__float_as_int(m)));
  if (lane == 0) of_warps[warp] = of_warp;
  __syncthreads();
  const int seen = lane < warps ? of_warps[lane] : of_warp;
  return __int_as_float(ordered(__reduce_max_sync(kAllLanes, seen)));
}

// A thread's d as two integers that add up without an error: so many units, and what is left in
// units that are 2^20 times smaller. Each thread rounds once, so that d is off by 2^-25 at most.
constexpr float kUnit = 0x1p49f;        // 2^-15 of 2^kGuardExponent
constexpr float kUnitOfUnit = 0x1p29f;  // and 2^-20 of that
constexpr float kMostOfThread = (kMaxPerThread + 1) * 1.4143f * 0x1p64f;  // with the edge
constexpr float kMostLeft = 0.5f * kUnit + 20.0f * 0x1p45f;  // with what additions have dropped
static_assert(kMostOfThread / kUnit < 0x1p22f, "kRounder rounds a thread's units");
static_assert(kMostLeft / kUnitOfUnit < 0x1p22f, "kRounder rounds what is left of them");
static_assert(kMaxThreads * kMostOfThread / kUnit < 0x1p31f, "an int holds a block's units");
static_assert(kMaxThreads * kMostLeft / kUnitOfUnit < 0x1p31f, "and what is left of them");
struct Units {  // in two's complement, whose sums wrap around
  unsigned units;
  unsigned rests;
};

__device__ Units in_units(TwoFloats d) {
  const float rounded = fmaf(d.value, 1.0f / kUnit, kRounder);
  const float rest = fmaf(rounded - kRounder, -kUnit, d.value) + d.rest;
  const float rounded_rest = fmaf(rest, 1.0f / kUnitOfUnit, kRounder);
  const unsigned zero = __float_as_uint(kRounder);
  return {__float_as_uint(rounded) - zero, __float_as_uint(rounded_rest) - zero};
}

__device__ Units warp_sum(Units d) {
  return {__reduce_add_sync(kAllLanes, d.units), __reduce_add_sync(kAllLanes, d.rests)};
}

// A block's units have up to 31 bits, of which a float holds the upper 24.
__device__ TwoFloats block_sum(TwoFloats d) {
  __shared__ Units of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  const Units of_warp = warp_sum(in_units(d));
  if (lane == 0) of_warps[warp] = of_warp;
  __syncthreads();
  const Units all = warp_sum(lane < warps ? of_warps[lane] : Units{});
  const auto units = static_cast<int>(all.units);
  const auto upper = static_cast<float>(units);
  const auto lower = static_cast<float>(units - static_cast<int>(upper));
  const auto rests = static_cast<float>(static_cast<int>(all.rests));
  return {upper * kUnit, fmaf(rests, kUnitOfUnit, lower * kUnit)};
}

// 16 bytes, the most that a thread loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// A row cut where its addresses are multiples of 16 bytes: the head before the first such place,
// whole vectors, and the tail. Head and tail are the edges, an element a thread.
struct Cut {
  int head;     // elements
  int vectors;  // vectors
  int edges;    // elements of head and tail together
};

template <typename T>
__device__ Cut cut_row(const T* x, int cols) {
  static_assert(2 * kPerVector<T> <= kWarpSize, "any block has a thread for every edge element");
  const int past = reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) / sizeof(T);
  const int head = (kPerVector<T> - past) % kPerVector<T>;
  const int vectors = cols > head ? (cols - head) / kPerVector<T> : 0;
  return {head, vectors, cols - vectors * kPerVector<T>};
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

// Stores vector i of the row at `y`; element by element where `y` is not aligned as the logits are.
template <typename T>
__device__ void store(Vector vector, T* y, int i) {
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

// A thread holds kVectors vectors of its block's row, blockDim.x apart, and one edge element.
template <typename T, int kVectors>
__global__ void __launch_bounds__(kMaxThreads)
    softmax(const T* logits, T* probabilities, int cols) {
  constexpr int kPerThread = kVectors * kPerVector<T>;
  static_assert(kPerThread <= kMaxPerThread, "a thread's part of the row fits in registers");
  const T* x = logits + static_cast<std::int64_t>(blockIdx.x) * cols;
  T* y = probabilities + static_cast<std::int64_t>(blockIdx.x) * cols;
  const Cut cut = cut_row(x, cols);
  const auto* x_vectors = reinterpret_cast<const Vector*>(x + cut.head);
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const bool has_edge = thread < cut.edges;
  const int edge = thread < cut.head ? thread : thread + cut.vectors * kPerVector<T>;

  Vector tile[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int vector = thread + i * threads;
    tile[i] = vector < cut.vectors ? x_vectors[vector] : nothing<T>();
  }
  const float x_edge = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  float m = x_edge;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    m = max_of<T>(tile[i], m);
  }
  m = block_max(m);
  const Origin origin = origin_of(m);

  const float e_edge = exponential_of<T>(x_edge, origin);
  float e[kPerThread];
  TwoFloats d = add<T>({kStart<T>}, e_edge);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    e[i] = exponential_of<T>(static_cast<float>(reinterpret_cast<const T*>(tile)[i]), origin);
    d = add<T>(d, e[i]);
  }
  d.value -= kStart<T>;
  d = block_sum(d);

  const TwoFloats factor = inverse(d, m);
  if (has_edge) y[edge] = static_cast<T>(times<T>(e_edge, factor));
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    T* values = reinterpret_cast<T*>(&tile[i]);
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) {
      values[j] = static_cast<T>(times<T>(e[i * kPerVector<T> + j], factor));
    }
    if (thread + i * threads < cut.vectors) store(tile[i], y + cut.head, thread + i * threads);
  }
}

// The kernel with the fewest vectors per thread that hold the row: 1, 2, 4 and so on.
template <typename T, int kVectors = 1>
void launch_narrowest(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  if constexpr (kVectors * kPerVector<T> < kMaxPerThread) {
    if (problem.cols > kVectors * kPerVector<T> * problem.block_size) {
      launch_narrowest<T, 2 * kVectors>(problem, stream);
      return;
    }
  }
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax<T, kVectors><<<grid, block, 0, stream>>>(problem.logits, problem.probabilities,
                                                   static_cast<int>(problem.cols));
  worklog::check_launch("softmax", grid, block);
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  launch_narrowest(problem, stream);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "14_row_in_registers",
                      .loads = {1},
                      .stores = {1},
                      .max_cols = [](std::size_t, int block_size) -> std::int64_t {
                        return kMaxPerThread * block_size;
                      },
                      .longer_rows = "15_row_in_shared_memory",
                      .exact_difference = true,
                      .fast_exponential = true});
