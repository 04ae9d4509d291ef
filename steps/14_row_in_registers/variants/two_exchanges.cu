// Step 14, variant: two exchanges between the warps
//
// The warps agree on the row's maximum before they take an exponential, and on d afterwards: each
// exchange has a barrier. No result is multiplied by a power of two in the end.

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
constexpr float kGuardExponent = 64.0f;    // e gets so many powers of two more: never subnormal
constexpr float kRounder = 12582912.0f;    // 1.5 * 2^23: what is added to it is rounded
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

// The largest value of a block, for each of its threads: every warp looks at the results of all.
__device__ float block_max(float m) {
  __shared__ float warp_m[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  m = warp_max(m);
  if (lane == 0) warp_m[warp] = m;
  __syncthreads();
  return warp_max(lane < warps ? warp_m[lane] : kNegativeInfinity);
}

__device__ TwoFloats block_sum(TwoFloats d) {
  __shared__ TwoFloats warp_d[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  d = warp_sum(d);
  if (lane == 0) warp_d[warp] = d;
  __syncthreads();
  return warp_sum(lane < warps ? warp_d[lane] : TwoFloats{});
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
                      .exact_difference = true});
