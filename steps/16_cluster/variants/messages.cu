// Step 16, variant: messages
//
// Where nothing hides how long a block takes, most of that is waiting for others. So there is one
// exchange instead of two: every warp tells the warps of all blocks, and the last of these messages
// wakes them. Blocks are small, eight share a row sooner than sixteen, of which not all clusters
// run at once, and a thread holds 64 or 128 logits where there are few blocks. With few warps an
// exponential must not wait for the one before: 16 are taken with no branch between them, in fp32
// on the special function unit.

#include <cooperative_groups.h>
#include <cuda/ptx>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/step/step.h"

namespace {

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int kWarpSize = 32;
constexpr int kMaxThreads = 1024;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// Threads of a block that is small, as all are by themselves.
constexpr int kFewThreads = 256;

// The logits that a thread holds at most: in 64 registers, of which each thread has as many if a
// multiprocessor is full; in 128, where there are too few blocks for that; and in 255, the most
// that a thread may have, where a multiprocessor has one block.
constexpr int kFewPerThread = 32;
constexpr int kManyPerThread = 64;
constexpr int kMostPerThread = 128;

// The logits of a thread whose exponentials are taken with no branch between them.
constexpr int kTogether = 16;
static_assert(kFewPerThread % kTogether == 0, "a thread holds whole groups");

// Bytes of a row that wait in shared memory at most: a block of an H200 may have 227 KB, of which
// the messages of 1024 threads need eight.
constexpr int kMaxWaiting = 218 * 1024;

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

// The two halves of a barrier of the cluster.
__device__ void arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ void wait_for_cluster() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
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
constexpr float kLog2E = 1.44269502f;         // the float next to 1 / ln 2
constexpr float kLog2ERest = 1.92596303e-8f;  // and what that is off
constexpr float kLn2 = 0.693147182f;          // the float next to ln 2
constexpr float kGuard = 0x1p64f;             // e is so many times as large, lest it be subnormal
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

// 2^n for a whole number n of at most 0, by way of a number that is kGuard times as large: it may
// be subnormal itself.
__device__ float power_of_two(float n) {
  constexpr float kBias = 127.0f;
  constexpr int kMantissaBits = 23;
  const float exponent = fmaxf(n + kGuardExponent, -kBias);  // -kBias for a NaN
  return __int_as_float(static_cast<int>(exponent + kBias) << kMantissaBits) / kGuard;
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
  if (part.shift == row.shift) return power_of_two(row.to_integer - part.to_integer);
  const Origin both = origin_by(0.0f, part.to_integer - row.to_integer);
  return exponential(part.shift - row.shift, both) / kGuard;
}

// What is known of a part, against a maximum that is no smaller. It seldom is another one.
template <typename T>
__device__ Normalizer raised(Normalizer part, float m) {
  if (m == part.m) return part;
  const float ratio = ratio_of<T>(part.m, m);
  return {m, {part.d.value * ratio, part.d.rest * ratio}};
}

// A float's bits as a number that is larger where the float is, and the other way round. NaN, as
// max_or_nan gives it, is the largest.
__device__ int ordered(int bits) {
  constexpr int kAllButSign = 0x7fffffff;
  return bits < 0 ? bits ^ kAllButSign : bits;
}

// The largest value of a warp, for each of its lanes.
__device__ float warp_max(float m) {
  return __int_as_float(ordered(__reduce_max_sync(kAllLanes, ordered(__float_as_int(m)))));
}

// The sum of a warp in fp32 by two instructions that add integers, where shuffles would follow each
// other: so many units, and what is left in units that are 2^26 times smaller, of which each lane
// rounds to the nearest. A unit is at least 2^-22 of the most that a lane may have, and its
// exponentials are at most 2^64.53 each: a power is that of little more than 1/2 more than a whole
// number.
constexpr float kSmaller = 0x1p26f;
constexpr float kUnitOfThreads = 0x1p54f;
constexpr float kUnitOfMessages = 0x1p59f;
constexpr float kLargest = 1.4345f * kGuard;
constexpr int kMostWaiting = (kMaxWaiting + 128) / static_cast<int>(sizeof(float));  // and a line
static_assert((kMostPerThread + kMostWaiting / kWarpSize) * kLargest < 0x1p22f * kUnitOfThreads,
              "kRounder rounds a thread's units, of 32 threads that hold the most");
static_assert((kFewPerThread * kMaxThreads + kMostWaiting) * kLargest < 0x1p22f * kUnitOfMessages,
              "and a lane's, of messages that are no more than one block's");
__device__ TwoFloats sum_in_units(TwoFloats d, float unit) {
  const float value = d.value + d.rest;
  const float rounded = fmaf(value, 1.0f / unit, kRounder);
  const float rest = fmaf(rounded - kRounder, -unit, value) + (d.rest - (value - d.value));
  const int lane_units = __float_as_int(rounded) - __float_as_int(kRounder);
  const int units = __reduce_add_sync(kAllLanes, lane_units);
  const int rests = __reduce_add_sync(kAllLanes, __float2int_rn(rest * (kSmaller / unit)));
  const auto upper = static_cast<float>(units);
  const auto lower = static_cast<float>(units - static_cast<int>(upper));
  return {upper * unit, fmaf(static_cast<float>(rests), unit / kSmaller, lower * unit)};
}

// Of types of two bytes the exponentials of a row whose maximum is huge are smaller than any unit.
template <typename T>
__device__ TwoFloats warp_sum(TwoFloats d, float unit) {
  if constexpr (kIsExact<T>) {
    return sum_in_units(d, unit);
  } else {
    for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
      d.value += __shfl_xor_sync(kAllLanes, d.value, distance);
    }
    return d;
  }
}

// 16 bytes, the most that a thread loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// The vectors of a cache line, 128 bytes.
constexpr int kPerLine = 128 / sizeof(Vector);
constexpr int kMaxBefore = kPerLine * sizeof(Vector);  // bytes that a share may have more for it

// A row cut where its addresses are multiples of 16 bytes: the head before the first such place,
// whole vectors, and the tail. Head and tail are the edges, an element a thread. Vectors are
// numbered from the beginning of the line in which the first one lies, so that the vectors of a
// warp fill whole lines.
struct Cut {
  int head;   // elements
  int first;  // the number of the first vector
  int end;    // the number behind the last one
  int edges;  // elements of head and tail together
};

template <typename T>
__device__ Cut cut_row(const T* x, int cols) {
  static_assert(2 * kPerVector<T> <= kWarpSize, "any block has a thread for every edge element");
  const int past = reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) / sizeof(T);
  const int head = (kPerVector<T> - past) % kPerVector<T>;
  const int first = reinterpret_cast<std::uintptr_t>(x + head) / sizeof(Vector) % kPerLine;
  const int vectors = cols > head ? (cols - head) / kPerVector<T> : 0;
  return {head, first, first + vectors, cols - vectors * kPerVector<T>};
}

// Stores vector i of those at `y`; element by element where `y` is not aligned as the logits are.
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

// Blocks of a cluster at most: more than 8 are not portable, but an H200 has 16.
constexpr int kMaxBlocks = 16;
static_assert(kMaxBlocks <= kWarpSize, "each lane of a warp tells a block");

// What a warp tells others: what it knows of its part of the row, in a size that a message may
// have.
template <typename T>
struct Message;
template <>
struct alignas(16) Message<float> {
  float m, d, rest;
};
template <>
struct alignas(8) Message<__half> {
  float m, d;
};
template <>
struct alignas(8) Message<__nv_bfloat16> {
  float m, d;
};

// What the warps of all blocks have told this one, in the order of blocks and of their warps, and a
// barrier that lets threads pass when all of it is there. kWarps: of a block at most.
template <typename T, int kWarps>
struct Inbox {
  static constexpr int kPerLane = kMaxBlocks * kWarps / kWarpSize;

  Message<T> messages[kMaxBlocks * kWarps];
  std::uint64_t all_here;
};

// Once in a block, before it arrives at a barrier of the cluster behind which others send.
template <typename T, int kWarps>
__device__ void expect(Inbox<T, kWarps>& inbox, int messages) {
  ptx::mbarrier_init(&inbox.all_here, 1);
  ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                 &inbox.all_here, messages * sizeof(Message<T>));
}

// Sends what this warp knows to a block, as message i there.
template <typename T, int kWarps>
__device__ void send(Normalizer mine, Inbox<T, kWarps>& inbox, int i, int block) {
  const cg::cluster_group cluster = cg::this_cluster();
  float* message = &cluster.map_shared_rank(&inbox, block)->messages[i].m;
  std::uint64_t* all_here = &cluster.map_shared_rank(&inbox, block)->all_here;
  if constexpr (kIsExact<T>) {
    ptx::st_async(message, {mine.m, mine.d.value, mine.d.rest, 0.0f}, all_here);
  } else {
    ptx::st_async(message, {mine.m, mine.d.value}, all_here);
  }
}

template <typename T, int kWarps>
__device__ void wait_for_all(Inbox<T, kWarps>& inbox) {
  constexpr std::uint32_t kFirstPhase = 0;
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &inbox.all_here,
                                        kFirstPhase)) {
  }
}

__device__ Normalizer part_of(Message<float> message) {
  return {message.m, {message.d, message.rest}};
}
template <typename T>
__device__ Normalizer part_of(Message<T> message) {
  return {message.m, {message.d}};
}

// The combination of so many messages, for every thread.
template <typename T, int kWarps>
__device__ Normalizer combine(const Inbox<T, kWarps>& inbox, int messages) {
  constexpr int kPerLane = Inbox<T, kWarps>::kPerLane;
  const int lane = threadIdx.x % kWarpSize;
  Normalizer parts[kPerLane];
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int message = lane + i * kWarpSize;
    if (message < messages) parts[i] = part_of(inbox.messages[message]);
    m = max_or_nan(m, parts[i].m);
  }
  m = warp_max(m);
  TwoFloats d;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    if (i * kWarpSize >= messages) break;
    const float ratio = ratio_of<T>(parts[i].m, m);
    const TwoFloats part = {parts[i].d.value * ratio, parts[i].d.rest * ratio};
    d = kIsExact<T> ? sum(d, part) : TwoFloats{d.value + part.value};
  }
  return {m, warp_sum<T>(d, kUnitOfMessages)};
}

// The vectors of each block's share of a row: whole lines of the cache. The last blocks may have
// fewer, or none.
__host__ __device__ constexpr int share_of(int vectors, int blocks) {
  const int lines = (vectors + kPerLine - 1) / kPerLine;
  return (lines + blocks - 1) / blocks * kPerLine;
}

// Adds a vector's exponentials to d, and leaves them in `e`.
template <typename T>
__device__ TwoFloats add_exponentials(Vector vector, Origin origin, TwoFloats d,
                                      float (&e)[kPerVector<T>]) {
  const T* values = reinterpret_cast<const T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    e[i] = exponential_of<T>(static_cast<float>(values[i]), origin);
    d = add<T>(d, e[i]);
  }
  return d;
}

// The probabilities that a vector's exponentials are. The ratio comes first: small ones would be
// rounded twice if it came last.
template <typename T>
__device__ Vector probabilities_of(const float (&e)[kPerVector<T>], float ratio, TwoFloats factor) {
  Vector vector;
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    values[i] = static_cast<T>(times<T>(e[i] * ratio, factor));
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

// The vectors of a row that a thread holds in registers; those from kHeld * blockDim.x on wait in
// shared memory.
template <typename T, int kPerThread>
constexpr int kHeld = kPerThread / kPerVector<T>;

// Whether vector i of each thread is the first of a group that the block's share no longer reaches.
template <typename T>
__device__ bool begins_past(int i, int vectors) {
  constexpr int kGroup = kTogether / kPerVector<T>;
  return i % kGroup == 0 && i * static_cast<int>(blockDim.x) >= vectors;
}

// Blocks of a multiprocessor whose threads fill it; half of it if they hold many logits, and a
// quarter if they hold most.
constexpr int blocks_of_multiprocessor(int threads, int per_thread) {
  constexpr int kRegisters = 65536;
  return kRegisters / (threads * 2 * per_thread);
}

template <typename T, int kThreads, int kPerThread>
__global__ void __launch_bounds__(kThreads, blocks_of_multiprocessor(kThreads, kPerThread))
    softmax(const T* logits, T* probabilities, int cols) {
  extern __shared__ Vector waiting[];
  __shared__ Inbox<T, kThreads / kWarpSize> inbox;
  constexpr int kVectors = kHeld<T, kPerThread>;
  const int blocks = static_cast<int>(gridDim.y);
  const int block = static_cast<int>(blockIdx.y);
  const std::int64_t row_index = blockIdx.x;
  const T* x = logits + row_index * cols;
  T* y = probabilities + row_index * cols;
  const Cut cut = cut_row(x, cols);
  const auto* x_vectors = reinterpret_cast<const Vector*>(x + cut.head) - cut.first;
  T* y_vectors = y + cut.head - cut.first * kPerVector<T>;
  const int share = share_of(cut.end, blocks);
  const int begin = block * share;
  const int end = min(begin + share, cut.end);
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int lane = thread % kWarpSize;
  const int warp = thread / kWarpSize;
  const int warps = threads / kWarpSize;
  const int held = begin + kVectors * threads;
  const bool has_edge = block == 0 && thread < cut.edges;
  const int edge = thread < cut.head ? thread : thread + (cut.end - cut.first) * kPerVector<T>;

  Vector tile[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (begins_past<T>(i, end - begin)) break;
    const int vector = begin + thread + i * threads;
    const bool is_of_row = vector >= cut.first && vector < end;
    tile[i] = is_of_row ? x_vectors[vector] : nothing<T>();
  }
  const float x_edge = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  for (int i = held + thread; i < end; i += threads) {
    __pipeline_memcpy_async(&waiting[i - held], &x_vectors[i], sizeof(Vector));
  }
  __pipeline_commit();

  // While all that is on its way, the blocks of the cluster make sure that each has an inbox.
  if (thread == 0) expect(inbox, blocks * warps);
  __syncwarp();
  arrive_relaxed();

  // While the rest is on its way, what the registers hold.
  float m = max_or_nan(x_edge, x_edge);  // which makes one NaN of all, for warp_max to order
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (begins_past<T>(i, end - begin)) break;
    m = max_of<T>(tile[i], m);
  }
  const float m_of_tile = warp_max(m);
  const Origin origin = origin_of_part(m_of_tile);
  const float e_edge = exponential_of<T>(x_edge, origin);
  TwoFloats d = add<T>({kStart<T>}, e_edge);
  float e[kVectors][kPerVector<T>];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (begins_past<T>(i, end - begin)) break;
    d = add_exponentials<T>(tile[i], origin, d, e[i]);
  }
  Normalizer part = {m_of_tile, {d.value - kStart<T>, d.rest}};

  Origin origin_of_waiting = origin;
  if (held < end) {
    __pipeline_wait_prior(0);
    m = part.m;
    for (int i = held + thread; i < end; i += threads) {
      m = max_of<T>(waiting[i - held], m);
    }
    m = warp_max(m);
    origin_of_waiting = origin_of_part(m);
    d = {kStart<T>};
    for (int i = held + thread; i < end; i += threads) {
      alignas(Vector) float e_waiting[kPerVector<T>];
      d = add_exponentials<T>(waiting[i - held], origin_of_waiting, d, e_waiting);
      if constexpr (kIsExact<T>) waiting[i - held] = reinterpret_cast<Vector&>(e_waiting);
    }
    part = {m, sum(raised<T>(part, m).d, {d.value - kStart<T>, d.rest})};
  }

  part.d = warp_sum<T>(part.d, kUnitOfThreads);
  wait_for_cluster();
  if (lane < blocks) send(part, inbox, block * warps + warp, lane);
  wait_for_all(inbox);
  const Normalizer row = combine(inbox, blocks * warps);

  const TwoFloats factor = inverse(row.d, row.m);
  const float ratio = ratio_of<T>(m_of_tile, row.m);
  if (has_edge) y[edge] = static_cast<T>(times<T>(e_edge * ratio, factor));
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (begins_past<T>(i, end - begin)) break;
    const int vector = begin + thread + i * threads;
    if (vector >= cut.first && vector < end) {
      store(probabilities_of<T>(e[i], ratio, factor), y_vectors, vector);
    }
  }
  const float ratio_of_waiting = ratio_of<T>(part.m, row.m);
  for (int i = held + thread; i < end; i += threads) {
    alignas(Vector) float e_waiting[kPerVector<T>];
    if constexpr (kIsExact<T>) {
      reinterpret_cast<Vector&>(e_waiting) = waiting[i - held];
    } else {
      // The 16 bytes of a vector of halves have no room for eight exponentials.
      add_exponentials<T>(waiting[i - held], origin_of_waiting, {}, e_waiting);
    }
    store(probabilities_of<T>(e_waiting, ratio_of_waiting, factor), y_vectors, i);
  }
}

// Bytes of shared memory for what blocks of so many threads cannot hold of their share, wherever in
// a line the row begins.
template <typename T>
int waiting_bytes(std::int64_t cols, int blocks, int block_size, int per_thread) {
  const int share = share_of(static_cast<int>(cols / kPerVector<T>) + kPerLine - 1, blocks);
  return std::max(share - per_thread / kPerVector<T> * block_size, 0) *
         static_cast<int>(sizeof(Vector));
}

// The columns that a block holds at most.
constexpr std::int64_t cols_of_block(std::size_t element_bytes, int block_size) {
  return kFewPerThread * block_size + kMaxWaiting / static_cast<std::int64_t>(element_bytes);
}

// As many as an H200 has multiprocessors. With more blocks than that, some of them share one.
constexpr std::int64_t kFewBlocks = 132;

// Eight blocks, as long as a thread need not hold very much; so many clusters of sixteen as there
// are places for run at once, so that a few rows have them sooner. Fewer where there are enough
// blocks for two of 256 threads on each multiprocessor, and registers for all of the row, or for
// half of it if there are many more; and where a thread would have less than a vector.
template <typename T>
int blocks_for(const worklog::Softmax<T>& problem) {
  constexpr int kFewestBlocks = 2;  // a message of st.async crosses from block to block
  constexpr std::int64_t kFewestRows = 4;
  constexpr std::int64_t kMuch = 3 * kFewPerThread;
  constexpr std::int64_t kEnoughThreads = 65536;
  constexpr std::int64_t kPlentyOfThreads = 4 * kEnoughThreads;
  const std::int64_t threads = problem.block_size;
  const bool alone = problem.rows * kMaxBlocks / 2 <= kFewBlocks;
  const std::int64_t most_of_thread = problem.rows <= kFewestRows ? kFewPerThread
                                      : alone                     ? kMostPerThread
                                                                  : kMuch;
  const std::int64_t most_of_block =
      std::min(threads * most_of_thread, cols_of_block(sizeof(T), problem.block_size));
  int blocks = kMaxBlocks / 2;
  if (problem.cols > blocks * most_of_block) blocks = kMaxBlocks;
  const auto halves_hold_row = [&] {
    const std::int64_t all_threads = problem.rows * blocks * threads;
    const int per_thread = all_threads > kPlentyOfThreads ? 2 * kFewPerThread : kFewPerThread;
    return all_threads > kEnoughThreads && problem.cols <= blocks / 2 * threads * per_thread;
  };
  while (blocks > kFewestBlocks && halves_hold_row())
    blocks /= 2;
  while (blocks > kFewestBlocks && problem.cols < blocks * threads * kPerVector<T>)
    blocks /= 2;
  return blocks;
}

template <typename T, int kThreads, int kPerThread>
void launch_kernel(const worklog::Softmax<T>& problem, int blocks, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(problem.rows), static_cast<unsigned>(blocks));
  const dim3 block(problem.block_size);
  worklog::allow_shared_memory(softmax<T, kThreads, kPerThread>, "softmax",
                               kMaxWaiting + kMaxBefore);
  worklog::allow_large_clusters(softmax<T, kThreads, kPerThread>, "softmax");
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 1;
  cluster.val.clusterDim.y = static_cast<unsigned>(blocks);
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = static_cast<std::size_t>(
      waiting_bytes<T>(problem.cols, blocks, problem.block_size, kPerThread));
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, softmax<T, kThreads, kPerThread>, problem.logits,
                     problem.probabilities, static_cast<int>(problem.cols));
  worklog::check_launch("softmax", grid, block, config.dynamicSmemBytes);
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const int blocks = blocks_for(problem);
  const std::int64_t all_threads = static_cast<std::int64_t>(blocks) * problem.block_size;
  const bool few_blocks = problem.rows * blocks <= kFewBlocks;
  if (problem.block_size > kFewThreads) {
    launch_kernel<T, kMaxThreads, kFewPerThread>(problem, blocks, stream);
  } else if (few_blocks && problem.cols > all_threads * kManyPerThread) {
    launch_kernel<T, kFewThreads, kMostPerThread>(problem, blocks, stream);
  } else if (few_blocks && problem.cols > all_threads * kFewPerThread) {
    launch_kernel<T, kFewThreads, kManyPerThread>(problem, blocks, stream);
  } else {
    launch_kernel<T, kFewThreads, kFewPerThread>(problem, blocks, stream);
  }
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "16_cluster",
                      .loads = {1},
                      .stores = {1},
                      .max_cols = [](std::size_t element_bytes, int block_size) -> std::int64_t {
                        return kMaxBlocks * cols_of_block(element_bytes, block_size);
                      },
                      .longer_rows = "12_bytes_in_flight",
                      .exact_difference = true,
                      .fast_exponential = true,
                      .several_blocks_a_row = true});
