// Step 13, variant: one instruction reduces a warp
//
// A shuffle takes some 25 cycles, and five of them follow each other for a maximum, five more for a
// sum. The GPU reduces integers of a whole warp in one instruction, __reduce_max_sync and
// __reduce_add_sync: floats become integers in the same order, and a sum becomes two of them, more
// exact than a float. For as short a chain, the special function unit takes the powers of two of
// fp32, too. A warp has a row, or two short ones of many, and its tile is as narrow as the row.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxThreads = 1024;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// The logits that a lane holds at most: the 64 registers that a thread of a block of 1024 may have
// hold no more.
constexpr int kMaxPerLane = 32;
constexpr std::int64_t kMaxCols = kMaxPerLane * kWarpSize;

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

// The largest value of all lanes.
__device__ float max_of_lanes(float m) {
  return __int_as_float(ordered(__reduce_max_sync(kAllLanes, ordered(__float_as_int(m)))));
}

// A lane's d as two integers that 32 lanes add up without an error: so many units, and what is left
// in units that are 2^22 times smaller. Each lane rounds once, so that d is off by 2^-30 at most.
constexpr float kUnit = 0x1p51f;        // 2^-13 of 2^kGuardExponent
constexpr float kUnitOfUnit = 0x1p29f;  // and 2^-22 of that
constexpr float kMostOfLane = kMaxPerLane * 1.4143f * 0x1p64f;
constexpr float kMostLeft = 0.5f * kUnit + 20.0f * 0x1p45f;  // with what additions have dropped
static_assert(kMostOfLane / kUnit < 0x1p22f, "kRounder rounds a lane's units");
static_assert(kMostLeft / kUnitOfUnit < 0x1p22f, "kRounder rounds what is left of them");
static_assert(kWarpSize * kMostOfLane / kUnit < 0x1p24f, "a float holds a warp's units exactly");

// What was added to kRounder: in two's complement, whose sums wrap around.
__device__ unsigned integer_of(float rounded) {
  return __float_as_uint(rounded) - __float_as_uint(kRounder);
}

__device__ TwoFloats sum_of_lanes(TwoFloats d) {
  const float rounded = fmaf(d.value, 1.0f / kUnit, kRounder);
  const float rest = fmaf(rounded - kRounder, -kUnit, d.value) + d.rest;
  const float rounded_rest = fmaf(rest, 1.0f / kUnitOfUnit, kRounder);
  const unsigned units = __reduce_add_sync(kAllLanes, integer_of(rounded));
  const unsigned rests = __reduce_add_sync(kAllLanes, integer_of(rounded_rest));
  return {static_cast<float>(static_cast<int>(units)) * kUnit,
          static_cast<float>(static_cast<int>(rests)) * kUnitOfUnit};
}

constexpr std::size_t kVectorBytes = 16;

// What a lane loads or stores at once: up to 16 bytes where rows begin and end at multiples of 16
// bytes, else an element.
template <typename T, int kWidth>
struct alignas(kWidth * sizeof(T)) Vector {
  T values[kWidth];
};

template <typename T, int kWidth>
__device__ Vector<T, kWidth> nothing() {
  Vector<T, kWidth> vector;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) {
    vector.values[i] = static_cast<T>(kNegativeInfinity);
  }
  return vector;
}

// A row of a warp: its lanes hold kVectors vectors each, those that lie kWarpSize apart, so that
// lanes side by side load what lies side by side.
template <typename T, int kWidth, int kVectors>
struct Row {
  static constexpr int kPerLane = kVectors * kWidth;
  Vector<T, kWidth> tile[kVectors];

  // The first `vectors` vectors at x.
  __device__ void load(const T* x, int lane, int vectors) {
    const auto* from = reinterpret_cast<const Vector<T, kWidth>*>(x);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int vector = lane + i * kWarpSize;
      tile[i] = vector < vectors ? from[vector] : nothing<T, kWidth>();
    }
  }

  __device__ float logit(int i) const {
    return static_cast<float>(tile[i / kWidth].values[i % kWidth]);
  }

  // A single exponential needs no addition, which few rows would wait for.
  __device__ static TwoFloats sum_of_lane(const float (&e)[kPerLane]) {
    if constexpr (kPerLane == 1) return {e[0]};
    TwoFloats d{kStart<T>};
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      d = add<T>(d, e[i]);
    }
    return {d.value - kStart<T>, d.rest};
  }

  __device__ void become_probabilities() {
    float m = kNegativeInfinity;
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      m = max_or_nan(m, logit(i));
    }
    m = max_of_lanes(m);
    const Origin origin = origin_of(m);

    float e[kPerLane];
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      e[i] = exponential_of<T>(logit(i), origin);
    }
    const TwoFloats factor = inverse(sum_of_lanes(sum_of_lane(e)), m);
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      tile[i / kWidth].values[i % kWidth] = static_cast<T>(times<T>(e[i], factor));
    }
  }

  __device__ void store(T* y, int lane, int vectors) const {
    auto* to = reinterpret_cast<Vector<T, kWidth>*>(y);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int vector = lane + i * kWarpSize;
      if (vector < vectors) to[vector] = tile[i];
    }
  }
};

// A warp owns kRows rows, which it loads before it computes.
template <typename T, int kWidth, int kVectors, int kRows>
__global__ void __launch_bounds__(kMaxThreads)
    softmax(const T* logits, T* probabilities, std::int64_t rows, int cols) {
  static_assert(kRows * kVectors * kWidth <= kMaxPerLane, "a lane's part fits in registers");
  const int lane = threadIdx.x % kWarpSize;
  const int warps = blockDim.x / kWarpSize;
  const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * warps + threadIdx.x / kWarpSize;
  const std::int64_t first = warp * kRows;
  if (first >= rows) return;
  const int vectors = cols / kWidth;

  Row<T, kWidth, kVectors> held[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const bool is_there = first + i < rows;
    held[i].load(logits + (first + i) * cols, lane, is_there ? vectors : 0);
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    held[i].become_probabilities();
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const bool is_there = first + i < rows;
    held[i].store(probabilities + (first + i) * cols, lane, is_there ? vectors : 0);
  }
}

// As many warps as there are multiprocessors' places for them on an H200, and as many again: from
// there on a warp has two short rows, whose loads are on their way at once.
constexpr std::int64_t kManyRows = 2 * 132 * 64;

template <typename T, int kWidth, int kVectors, int kRows>
void launch_kernel(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const std::int64_t rows_a_block = problem.block_size / kWarpSize * kRows;
  const dim3 grid(static_cast<unsigned>((problem.rows + rows_a_block - 1) / rows_a_block));
  const dim3 block(problem.block_size);
  softmax<T, kWidth, kVectors, kRows><<<grid, block, 0, stream>>>(
      problem.logits, problem.probabilities, problem.rows, static_cast<int>(problem.cols));
  worklog::check_launch("softmax", grid, block);
}

// The first of a chain that holds the row. A lane has one vector, which doubles to 16 bytes, and
// then one more at a time; or where rows are not aligned an element more, and from four on four
// more.
template <typename T, bool kByVectors, int kWidth = 1, int kVectors = 1>
void launch_narrowest(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  constexpr int kShort = 4;
  constexpr bool kWidens = kByVectors && kWidth * sizeof(T) < kVectorBytes;
  constexpr int kMore = kWidth == 1 && kVectors >= kShort ? kShort : 1;
  constexpr int kPerLane = kVectors * kWidth;
  if constexpr (kWarpSize * kPerLane < kMaxCols) {
    if (problem.cols > kWarpSize * kPerLane) {
      constexpr int kNextWidth = kWidens ? 2 * kWidth : kWidth;
      constexpr int kNextVectors = kWidens ? kVectors : kVectors + kMore;
      launch_narrowest<T, kByVectors, kNextWidth, kNextVectors>(problem, stream);
      return;
    }
  }
  if constexpr (kPerLane <= kShort) {
    if (problem.rows >= kManyRows) {
      launch_kernel<T, kWidth, kVectors, 2>(problem, stream);
      return;
    }
  }
  launch_kernel<T, kWidth, kVectors, 1>(problem, stream);
}

template <typename T>
bool is_aligned(const T* first_row, std::int64_t cols, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(first_row) % bytes == 0 && cols * sizeof(T) % bytes == 0;
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  if (is_aligned(problem.logits, problem.cols, kVectorBytes) &&
      is_aligned(problem.probabilities, problem.cols, kVectorBytes)) {
    launch_narrowest<T, true>(problem, stream);
  } else {
    launch_narrowest<T, false>(problem, stream);
  }
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "13_row_in_a_warp",
                      .loads = {1},
                      .stores = {1},
                      .max_cols = [](std::size_t, int) { return kMaxCols; },
                      .longer_rows = "14_row_in_registers",
                      .exact_difference = true,
                      .fast_exponential = true,
                      .several_rows_a_block = true});
