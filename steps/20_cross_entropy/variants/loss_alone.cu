// Step 20, variant: the loss alone
//
// Validation wants no gradients: one read of the row, and nothing of it is kept.

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
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLog2E = 1.44269504f;  // 1 / ln 2
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

// What C++ has no name for.

// 2^x, to 2 ulp; 0 where that is too small for a normal float.
__device__ float exp2_approx(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

// exp(t). Results of two bytes have too few digits to show what a fast exponential does.
template <typename T>
__device__ float exponential(float t) {
  if constexpr (std::is_same_v<T, float>) {
    return expf(t);
  } else {
    return exp2_approx(t * kLog2E);
  }
}

// What is known of a row so far: its maximum m, and d, the sum of exp(x - m).
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 3.1)
struct Normalizer {
  float m = kNegativeInfinity;
  float d = 0.0f;
};

// A NaN or +inf on either side makes d NaN, and with it the row.
__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float m = a.m > b.m ? a.m : b.m;              // not fmaxf, which drops a NaN
  if (m == kNegativeInfinity) return {m, a.d + b.d};  // -inf - -inf would be NaN
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

// Every lane returns the combination of all 32: first the maximum, so that a lane rescales once.
__device__ Normalizer warp_reduce(Normalizer mine) {
  float m = mine.m;
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, distance));  // drops a NaN, but d keeps it
  }
  float d = m == kNegativeInfinity ? mine.d : mine.d * expf(mine.m - m);
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    d += __shfl_xor_sync(kAllLanes, d, distance);
  }
  return {m, d};
}

// Every thread returns the combination of all threads of the block.
__device__ Normalizer block_reduce(Normalizer mine) {
  __shared__ float warp_m[kMaxWarps], warp_d[kMaxWarps], row_m, row_d;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine);
  if (lane == 0) {
    warp_m[warp] = mine.m;
    warp_d[warp] = mine.d;
  }
  __syncthreads();
  if (warp == 0) {
    mine = warp_reduce(lane < warps ? Normalizer{warp_m[lane], warp_d[lane]} : Normalizer{});
    if (lane == 0) {
      row_m = mine.m;
      row_d = mine.d;
    }
  }
  __syncthreads();
  return {row_m, row_d};
}

// 16 bytes, the most that a thread loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// The vectors of a cache line, 128 bytes.
constexpr int kPerLine = 128 / sizeof(Vector);

// A row cut where its addresses are multiples of 16 bytes: the head before the first such place,
// whole vectors, and the tail. Head and tail are the edges, an element a thread. Vectors are
// numbered from the beginning of the line in which the first one lies, so that the vectors of a
// warp fill whole lines.
struct Cut {
  std::int64_t head;   // elements
  std::int64_t first;  // the number of the first vector
  std::int64_t end;    // the number behind the last one
  std::int64_t edges;  // elements of head and tail together
};

template <typename T>
__device__ Cut cut_row(const T* x, std::int64_t cols) {
  static_assert(2 * kPerVector<T> <= kWarpSize, "any block has a thread for every edge element");
  const int past = reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) / sizeof(T);
  const int head = (kPerVector<T> - past) % kPerVector<T>;
  const int first = reinterpret_cast<std::uintptr_t>(x + head) / sizeof(Vector) % kPerLine;
  const std::int64_t vectors = (cols - head) / kPerVector<T>;  // 0 also for cols < head
  return {head, first, first + vectors, cols - vectors * kPerVector<T>};
}

// The elements that a thread has on their way at once. The 64 registers that a thread of a block of
// 1024 may have hold no more.
constexpr int kPerTile = 32;
template <typename T>
constexpr int kInFlight = kPerTile / kPerVector<T>;
template <typename T>
struct Tile {
  Vector vectors[kInFlight<T>];
};

// The vectors first, first + blockDim.x, ... Those that are not the row's are not loaded: they read
// as -inf, which adds nothing to a sum.
template <typename T>
__device__ Tile<T> load_tile(const Vector* x, std::int64_t first, const Cut& cut) {
  Tile<T> tile;
  T* values = reinterpret_cast<T*>(&tile);
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    values[i] = static_cast<T>(kNegativeInfinity);
  }
#pragma unroll
  for (int i = 0; i < kInFlight<T>; ++i) {
    const std::int64_t vector = first + i * blockDim.x;
    if (vector >= cut.first && vector < cut.end) tile.vectors[i] = x[vector];
  }
  return tile;
}

// Adds all values of a tile to d, which is rescaled once for all of them.
template <typename T>
__device__ Normalizer combine_tile(Normalizer a, const Tile<T>& tile) {
  const T* values = reinterpret_cast<const T*>(&tile);
  float m = a.m;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    m = fmaxf(m, static_cast<float>(values[i]));  // drops a NaN, which its exponential brings back
  }
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    sum += exponential<T>(static_cast<float>(values[i]) - origin);
  }
  return {m, a.d * expf(a.m - origin) + sum};
}

// NaN for a label that is no column.
template <typename T>
__device__ float logit_of(const T* x, std::int64_t label, std::int64_t cols) {
  return 0 <= label && label < cols ? static_cast<float>(x[label]) : kNan;
}

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    negative_log_likelihood(const T* logits, const std::int64_t* labels, float* losses,
                            std::int64_t cols) {
  const T* x = logits + blockIdx.x * cols;
  const Cut cut = cut_row(x, cols);
  const auto* x_vectors = reinterpret_cast<const Vector*>(x + cut.head) - cut.first;
  const std::int64_t tile_stride = kInFlight<T> * blockDim.x;
  const bool has_edge = threadIdx.x < cut.edges;
  const std::int64_t edge =
      threadIdx.x < cut.head ? threadIdx.x : threadIdx.x + (cut.end - cut.first) * kPerVector<T>;

  // Asked for before the loop, needed after it: nobody waits for it.
  const float edge_logit = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  const float logit = threadIdx.x == 0 ? logit_of(x, labels[blockIdx.x], cols) : 0.0f;
  Normalizer mine;
  for (std::int64_t first = threadIdx.x; first < cut.end; first += tile_stride) {
    mine = combine_tile(mine, load_tile<T>(x_vectors, first, cut));
  }
  mine = combine(mine, {edge_logit, 1.0f});
  const Normalizer row = block_reduce(mine);
  if (threadIdx.x == 0) losses[blockIdx.x] = logf(row.d) - (logit - row.m);
}

template <typename T>
void launch(const worklog::NegativeLogLikelihood<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  negative_log_likelihood<<<grid, block, 0, stream>>>(problem.logits, problem.labels,
                                                      problem.losses, problem.cols);
  worklog::check_launch("negative_log_likelihood", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "20_cross_entropy",
                      .loads = {.per_column = 1, .per_row = 2},
                      .stores = {.per_row = 1}});
