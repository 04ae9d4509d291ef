// Step 14, variant: an element a load
//
// A thread moves single elements in place of 16 bytes, and needs neither heads nor tails. Elements
// and sectors are the same, the requests are four times as many for fp32 and eight times for a
// half.

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

// The narrowest kernel has as many elements per thread as the step's: those of 16 bytes.
template <typename T>
constexpr int kFewest = 16 / sizeof(T);

// A thread holds kPerThread elements of its block's row, blockDim.x apart, so that lanes side by
// side load what lies side by side.
template <typename T, int kPerThread>
__global__ void __launch_bounds__(kMaxThreads)
    softmax(const T* logits, T* probabilities, int cols) {
  static_assert(kPerThread <= kMaxPerThread, "a thread's part of the row fits in registers");
  const T* x = logits + static_cast<std::int64_t>(blockIdx.x) * cols;
  T* y = probabilities + static_cast<std::int64_t>(blockIdx.x) * cols;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);

  float e[kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    e[i] = col < cols ? static_cast<float>(x[col]) : kNegativeInfinity;
  }
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    m = max_or_nan(m, e[i]);
  }
  m = warp_max(m);
  const Origin origin = origin_of_part(m);

  TwoFloats d = {kStart<T>};
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    e[i] = exponential_of<T>(e[i], origin);
    d = add<T>(d, e[i]);
  }
  d.value -= kStart<T>;
  const Normalizer row = block_combine<T>({m, warp_sum(d)});

  const TwoFloats factor = inverse(row.d, row.m);
  const float ratio = ratio_of<T>(m, row.m);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    if (col < cols) y[col] = static_cast<T>(times<T>(e[i] * ratio, factor));
  }
}

// The kernel with the fewest elements per thread that hold the row: as many as in a vector, and
// twice, four and up to eight times as many.
template <typename T, int kPerThread = kFewest<T>>
void launch_narrowest(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  if constexpr (kPerThread < kMaxPerThread) {
    if (problem.cols > kPerThread * problem.block_size) {
      launch_narrowest<T, 2 * kPerThread>(problem, stream);
      return;
    }
  }
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax<T, kPerThread><<<grid, block, 0, stream>>>(problem.logits, problem.probabilities,
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
                      .exact_difference = true});
