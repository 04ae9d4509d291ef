// Step 13, variant: a shorter chain
//
// Between the load and the store of a short row nothing hides an instruction that waits for the one
// before. So there are fewer: the special function unit takes the powers of two of fp32, lanes
// exchange d as whole units, whose sums are exact, and a rest, so that a plain addition of each
// will do, and where rows are few, a lane has one vector of a row and not two.

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
  float log2_base;   // for results of two bytes: e is log2_base^x / 2^scaled_m, where log2_base
  float scaled_m;    // is log2 e for |m| below 2^20
};

__device__ Origin origin_of(float m) {
  constexpr float kDepth = 188.0f;
  const float shift = fabsf(m) < 0x1p20f ? 0.0f : truncf(m * 0x1p-20f) * 0x1p20f;
  const float k = fmaf(m - shift, kLog2E, kRounder) - kRounder;
  // From 2^20 on, numbers of two bytes lie so far apart that all but the largest become 0, to any
  // base.
  const float log2_base = shift == 0.0f ? kLog2E : 1.0f;
  return {shift, kRounder + (kGuardExponent - k), (k - kDepth) * kLn2, log2_base,
          fmaf(m, log2_base, -kGuardExponent)};
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

// What stands for exp(x - m).
template <typename T>
__device__ float exponential_of(float x, Origin origin) {
  if constexpr (kIsExact<T>) {
    return exponential(x, origin);
  } else {
    return exp2_approx(fmaf(x, origin.log2_base, -origin.scaled_m));
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

// The largest value of the kLanes lanes that own a row.
template <int kLanes>
__device__ float max_of_lanes(float m) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    m = max_or_nan(m, __shfl_xor_sync(kAllLanes, m, distance));
  }
  return m;
}

// A lane's d as two floats: so many whole units, whose sums are exact, and what is left, which is
// so little that what its sums drop is none of a result's digits. d is off by 2^-31 at most.
constexpr float kUnit = 0x1p51f;  // 2^-13 of 2^kGuardExponent
constexpr float kMostOfLane = kMaxPerLane * 1.4143f * 0x1p64f;
static_assert(kMostOfLane / kUnit < 0x1p22f, "kRounder rounds a lane's units");
static_assert(kWarpSize * kMostOfLane / kUnit < 0x1p24f, "a float holds a warp's units exactly");

template <int kLanes>
__device__ TwoFloats sum_of_lanes(TwoFloats d) {
  float units = fmaf(d.value, 1.0f / kUnit, kRounder) - kRounder;
  float rest = fmaf(units, -kUnit, d.value) + d.rest;
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    units += __shfl_xor_sync(kAllLanes, units, distance);
    rest += __shfl_xor_sync(kAllLanes, rest, distance);
  }
  return {units * kUnit, rest};
}

// What a lane loads or stores at once: 16 bytes where rows begin and end at multiples of 16 bytes,
// else an element.
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

// kLanes lanes own a row, of which each holds kVectors vectors: those that lie kLanes apart, so
// that lanes side by side load what lies side by side.
template <typename T, int kWidth, int kLanes, int kVectors>
__global__ void __launch_bounds__(kMaxThreads)
    softmax(const T* logits, T* probabilities, std::int64_t rows, int cols) {
  static_assert(kWarpSize % kLanes == 0, "a row's lanes are of one warp");
  static_assert(kVectors * kWidth <= kMaxPerLane, "a lane's part of the row fits in registers");
  constexpr int kPerLane = kVectors * kWidth;
  const std::int64_t rows_a_block = blockDim.x / kLanes;
  const std::int64_t row = blockIdx.x * rows_a_block + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const int vectors =
      row < rows ? cols / kWidth : 0;  // lanes without a row shuffle with the others
  const auto* x = reinterpret_cast<const Vector<T, kWidth>*>(logits + row * cols);
  auto* y = reinterpret_cast<Vector<T, kWidth>*>(probabilities + row * cols);

  Vector<T, kWidth> tile[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    tile[i] = lane + i * kLanes < vectors ? x[lane + i * kLanes] : nothing<T, kWidth>();
  }
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      m = max_or_nan(m, static_cast<float>(tile[i].values[j]));
    }
  }
  m = max_of_lanes<kLanes>(m);
  const Origin origin = origin_of(m);

  float e[kPerLane];
  TwoFloats d{kStart<T>};
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    e[i] = exponential_of<T>(static_cast<float>(tile[i / kWidth].values[i % kWidth]), origin);
    d = add<T>(d, e[i]);
  }
  d.value -= kStart<T>;
  const TwoFloats factor = inverse(sum_of_lanes<kLanes>(d), m);

#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      tile[i].values[j] = static_cast<T>(times<T>(e[i * kWidth + j], factor));
    }
    if (lane + i * kLanes < vectors) y[lane + i * kLanes] = tile[i];
  }
}

// The first kernel of a chain that holds the row: vectors double to kVectorsFirst (single elements
// to 4), then lanes to a whole warp, then vectors to all that a lane can hold.
template <typename T, int kWidth, int kVectorsFirst, int kLanes = 1, int kVectors = 1>
void launch_narrowest(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  if constexpr (kLanes * kVectors * kWidth < kMaxCols) {
    if (problem.cols > kLanes * kVectors * kWidth) {
      constexpr bool kMoreLanes = kVectors >= kVectorsFirst && kLanes < kWarpSize;
      constexpr int kNextLanes = kMoreLanes ? 2 * kLanes : kLanes;
      constexpr int kNextVectors = kMoreLanes ? kVectors : 2 * kVectors;
      launch_narrowest<T, kWidth, kVectorsFirst, kNextLanes, kNextVectors>(problem, stream);
      return;
    }
  }
  const std::int64_t rows_a_block = problem.block_size / kLanes;
  const dim3 grid(static_cast<unsigned>((problem.rows + rows_a_block - 1) / rows_a_block));
  const dim3 block(problem.block_size);
  softmax<T, kWidth, kLanes, kVectors><<<grid, block, 0, stream>>>(
      problem.logits, problem.probabilities, problem.rows, static_cast<int>(problem.cols));
  worklog::check_launch("softmax", grid, block);
}

// With no more rows than these, lanes with two vectors of a row would leave the schedulers of an
// H200 few warps to choose from.
constexpr std::int64_t kFewRows = 8192;

template <typename T>
bool is_aligned(const T* first_row, std::int64_t cols, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(first_row) % bytes == 0 && cols * sizeof(T) % bytes == 0;
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  constexpr std::size_t kVectorBytes = 16;
  const bool by_vectors = is_aligned(problem.logits, problem.cols, kVectorBytes) &&
                          is_aligned(problem.probabilities, problem.cols, kVectorBytes);
  if (!by_vectors) {
    launch_narrowest<T, 1, 4>(problem, stream);
  } else if (problem.rows <= kFewRows) {
    launch_narrowest<T, kVectorBytes / sizeof(T), 1>(problem, stream);
  } else {
    launch_narrowest<T, kVectorBytes / sizeof(T), 2>(problem, stream);
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
