// Step 12, variant: a division for each element
//
// The step as it would be with `/` in the second pass, in place of a product with the reciprocal
// that is corrected by what it is off. The accesses are the same. The instructions are more, and
// the best blocks are others: both separate the two in time.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

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
  const std::int64_t vectors = (cols - head) / kPerVector<T>;  // 0 also for cols < head
  return {head, vectors, cols - vectors * kPerVector<T>};
}

// The elements that a thread has on their way at once. tile_of_8, a variant, has fewer; the 64
// registers that a thread of a block of 1024 may have hold no more.
constexpr int kPerTile = 32;
template <typename T>
constexpr int kInFlight = kPerTile / kPerVector<T>;
template <typename T>
struct Tile {
  Vector vectors[kInFlight<T>];
};

// A row is read twice. What is read for the last time, as what is written, need not stay in the
// caches: marked so, it leaves room for the rows that will be read again.
enum class Read { kFirst, kLast };

// The vectors first, first + blockDim.x, ... Those from `end` on are not loaded: they read as -inf,
// which adds nothing to a sum.
template <typename T, Read kRead>
__device__ Tile<T> load_tile(const Vector* x, std::int64_t first, std::int64_t end) {
  Tile<T> tile;
  T* values = reinterpret_cast<T*>(&tile);
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    values[i] = static_cast<T>(kNegativeInfinity);
  }
#pragma unroll
  for (int i = 0; i < kInFlight<T>; ++i) {
    const std::int64_t vector = first + i * blockDim.x;
    if (vector >= end) continue;
    if constexpr (kRead == Read::kLast) {
      tile.vectors[i] = __ldcs(x + vector);
    } else {
      tile.vectors[i] = x[vector];
    }
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
    sum += expf(static_cast<float>(values[i]) - origin);
  }
  return {m, a.d * expf(a.m - origin) + sum};
}

template <typename T>
__device__ Tile<T> softmax_of(Tile<T> tile, Normalizer row) {
  T* values = reinterpret_cast<T*>(&tile);
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    values[i] = static_cast<T>(expf(static_cast<float>(values[i]) - row.m) / row.d);
  }
  return tile;
}

// Stores vector i of the row at `y`; element by element where `y` is not aligned as the logits are.
template <typename T>
__device__ void store(Vector vector, T* y, std::int64_t i) {
  const T* values = reinterpret_cast<const T*>(&vector);
  if (reinterpret_cast<std::uintptr_t>(y) % sizeof(Vector) == 0) {
    __stcs(reinterpret_cast<Vector*>(y) + i, vector);
  } else {
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) {
      y[i * kPerVector<T> + j] = values[j];
    }
  }
}

// Where load_tile loads from, stores there.
template <typename T>
__device__ void store_tile(const Tile<T>& tile, T* y, std::int64_t first, std::int64_t end) {
#pragma unroll
  for (int i = 0; i < kInFlight<T>; ++i) {
    const std::int64_t vector = first + i * blockDim.x;
    if (vector < end) store(tile.vectors[i], y, vector);
  }
}

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    softmax(const T* logits, T* probabilities, std::int64_t cols) {
  const T* x = logits + blockIdx.x * cols;
  T* y = probabilities + blockIdx.x * cols;
  const Cut cut = cut_row(x, cols);
  const auto* x_vectors = reinterpret_cast<const Vector*>(x + cut.head);
  T* y_vectors = y + cut.head;
  const std::int64_t tile_stride = kInFlight<T> * blockDim.x;
  const bool has_edge = threadIdx.x < cut.edges;
  const std::int64_t edge =
      threadIdx.x < cut.head ? threadIdx.x : threadIdx.x + cut.vectors * kPerVector<T>;

  // Asked for before the loop, needed after it: nobody waits for it.
  const float edge_logit = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  Normalizer mine;
  for (std::int64_t first = threadIdx.x; first < cut.vectors; first += tile_stride) {
    mine = combine_tile(mine, load_tile<T, Read::kFirst>(x_vectors, first, cut.vectors));
  }
  mine = combine(mine, {edge_logit, 1.0f});
  const Normalizer row = block_reduce(mine);
  if (has_edge) y[edge] = static_cast<T>(expf(static_cast<float>(x[edge]) - row.m) / row.d);
  for (std::int64_t first = threadIdx.x; first < cut.vectors; first += tile_stride) {
    const Tile<T> tile = load_tile<T, Read::kLast>(x_vectors, first, cut.vectors);
    store_tile(softmax_of(tile, row), y_vectors, first, cut.vectors);
  }
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "12_bytes_in_flight", .loads = {2}, .stores = {1}});
