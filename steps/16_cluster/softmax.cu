// Step 16: a cluster
//
// The blocks of a cluster run at the same time on multiprocessors that are near each other, and
// reach each other's shared memory. 1 to 16 of them share a row that one cannot hold, or share the
// few rows that there are, and exchange (m, d) there: still nobody reads anything twice.

#include <cooperative_groups.h>
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

// The two halves of a barrier of the cluster. What a thread stored before it arrives, the others
// see behind the wait, if it releases its stores. That takes a fence, which waits for all of them:
// a thread that stored nothing for others does without.
__device__ void arrive_and_release() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
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

// What is known of a part, against a maximum that is no smaller. It seldom is another one.
template <typename T>
__device__ Normalizer raised(Normalizer part, float m) {
  if (m == part.m) return part;
  const float ratio = ratio_of<T>(part.m, m);
  return {m, {part.d.value * ratio, part.d.rest * ratio}};
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
static_assert(kMaxBlocks <= kWarpSize, "a warp tells all blocks, and combines their results");

// The combination of what the blocks of a cluster know, for each of their threads: every block
// leaves its own with all.
template <typename T>
__device__ Normalizer cluster_combine(Normalizer mine) {
  __shared__ Normalizer of_blocks[kMaxBlocks];
  const cg::cluster_group cluster = cg::this_cluster();
  const int lane = threadIdx.x % kWarpSize;
  const int thread = static_cast<int>(threadIdx.x);
  const int blocks = static_cast<int>(cluster.num_blocks());

  mine = block_combine<T>(mine);
  if (thread < blocks) cluster.map_shared_rank(of_blocks, thread)[cluster.block_rank()] = mine;
  if (thread < kWarpSize) {
    arrive_and_release();
  } else {
    arrive_relaxed();
  }
  wait_for_cluster();
  return warp_combine<T>(lane < blocks ? of_blocks[lane] : Normalizer{});
}

// The vectors of each block's share of a row: whole lines of the cache. The last blocks may have
// fewer, or none.
__host__ __device__ constexpr int share_of(int vectors, int blocks) {
  const int lines = (vectors + kPerLine - 1) / kPerLine;
  return (lines + blocks - 1) / blocks * kPerLine;
}

// The vectors of a row that a thread holds in registers; those from kHeld * blockDim.x on wait in
// shared memory.
template <typename T>
constexpr int kHeld = kMaxPerThread / kPerVector<T>;

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

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    softmax(const T* logits, T* probabilities, int cols) {
  extern __shared__ Vector waiting[];
  const cg::cluster_group cluster = cg::this_cluster();
  const int blocks = static_cast<int>(cluster.num_blocks());
  const int block = static_cast<int>(cluster.block_rank());
  const std::int64_t row_index = blockIdx.x / blocks;
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
  const int held = begin + kHeld<T> * threads;
  const bool has_edge = block == 0 && thread < cut.edges;
  const int edge = thread < cut.head ? thread : thread + (cut.end - cut.first) * kPerVector<T>;

  arrive_relaxed();  // this block runs, the others shall know
  Vector tile[kHeld<T>];
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end - begin)) break;
    const int vector = begin + thread + i * threads;
    const bool is_of_row = vector >= cut.first && vector < end;
    tile[i] = is_of_row ? x_vectors[vector] : nothing<T>();
  }
  const float x_edge = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  for (int i = held + thread; i < end; i += threads) {
    __pipeline_memcpy_async(&waiting[i - held], &x_vectors[i], sizeof(Vector));
  }
  __pipeline_commit();

  // While those are on their way, what the registers hold.
  float m = x_edge;
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end - begin)) break;
    m = max_of<T>(tile[i], m);
  }
  const float m_of_tile = warp_max(m);
  const Origin origin = origin_of_part(m_of_tile);
  const float e_edge = exponential_of<T>(x_edge, origin);
  TwoFloats d = add<T>({kStart<T>}, e_edge);
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end - begin)) break;
    d = add_exponentials<T>(tile[i], origin, d);
  }
  Normalizer part = {m_of_tile, {d.value - kStart<T>, d.rest}};

  if (held < end) {
    __pipeline_wait_prior(0);
    m = part.m;
    for (int i = held + thread; i < end; i += threads) {
      m = max_of<T>(waiting[i - held], m);
    }
    m = warp_max(m);
    const Origin origin_of_waiting = origin_of_part(m);
    d = {kStart<T>};
    for (int i = held + thread; i < end; i += threads) {
      Vector vector = waiting[i - held];
      d = add_exponentials<T>(vector, origin_of_waiting, d);
      if constexpr (kIsExact<T>) waiting[i - held] = vector;
    }
    part = {m, sum(raised<T>(part, m).d, {d.value - kStart<T>, d.rest})};
  }
  wait_for_cluster();  // all of them run, so that their shared memory is there
  const Normalizer row = cluster_combine<T>({part.m, warp_sum(part.d)});

  const Origin row_origin = origin_of(row.m);
  const TwoFloats factor = inverse(row.d, row.m);
  const float ratio = ratio_of<T>(m_of_tile, row.m);
  if (has_edge) y[edge] = static_cast<T>(times<T>(e_edge * ratio, factor));
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end - begin)) break;
    const int vector = begin + thread + i * threads;
    if (vector >= cut.first && vector < end) {
      store(probabilities_of<T>(tile[i], row_origin, factor, ratio), y_vectors, vector);
    }
  }
  const float ratio_of_waiting = ratio_of<T>(part.m, row.m);
  for (int i = held + thread; i < end; i += threads) {
    store(probabilities_of<T>(waiting[i - held], row_origin, factor, ratio_of_waiting), y_vectors,
          i);
  }
}

// Bytes of shared memory for what blocks of so many threads cannot hold of their share, wherever in
// a line the row begins.
template <typename T>
int waiting_bytes(std::int64_t cols, int blocks, int block_size) {
  const int share = share_of(static_cast<int>(cols / kPerVector<T>) + kPerLine - 1, blocks);
  return std::max(share - kHeld<T> * block_size, 0) * static_cast<int>(sizeof(Vector));
}

// The columns that a block holds at most, of which so many bytes wait.
constexpr std::int64_t cols_of_block(std::size_t element_bytes, int block_size,
                                     int waiting = kMaxWaiting) {
  return kMaxPerThread * block_size + waiting / static_cast<std::int64_t>(element_bytes);
}

// As few blocks as hold the row, or as hold it with so few bytes of shared memory for each thread
// that several of up to 256 threads share a multiprocessor: one computes while others wait for
// memory. More where there are too few rows for all multiprocessors, as long as each keeps a
// thousand columns.
template <typename T>
int blocks_for(const worklog::Softmax<T>& problem) {
  constexpr std::int64_t kMultiprocessors = 132;
  constexpr std::int64_t kFewestCols = 1024;
  constexpr int kWaitingOfThread = 288;
  const int roomy = std::min(kWaitingOfThread * problem.block_size, kMaxWaiting);
  const std::int64_t roomy_cols = cols_of_block(sizeof(T), problem.block_size, roomy);
  int blocks = 1;
  while (blocks < kMaxBlocks && problem.cols > blocks * roomy_cols)
    blocks *= 2;
  while (2 * blocks <= kMaxBlocks && 2 * blocks * problem.rows <= kMultiprocessors &&
         problem.cols >= 2 * blocks * kFewestCols)
    blocks *= 2;
  return blocks;
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const int blocks = blocks_for(problem);
  const dim3 grid(static_cast<unsigned>(problem.rows * blocks));
  const dim3 block(problem.block_size);
  worklog::allow_shared_memory(softmax<T>, "softmax", kMaxWaiting + kMaxBefore);
  worklog::allow_large_clusters(softmax<T>, "softmax");
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(blocks);
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes =
      static_cast<std::size_t>(waiting_bytes<T>(problem.cols, blocks, problem.block_size));
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, softmax<T>, problem.logits, problem.probabilities,
                     static_cast<int>(problem.cols));
  worklog::check_launch("softmax", grid, block, config.dynamicSmemBytes);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "15_row_in_shared_memory",
                      .loads = {1},
                      .stores = {1},
                      .max_cols = [](std::size_t element_bytes, int block_size) -> std::int64_t {
                        return kMaxBlocks * cols_of_block(element_bytes, block_size);
                      },
                      .longer_rows = "12_bytes_in_flight",
                      .exact_difference = true,
                      .several_blocks_a_row = true});
