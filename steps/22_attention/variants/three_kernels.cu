// Step 22, variant: three kernels
//
// Attention as its definition reads: all scores, their softmax, and the values that it weighs. The
// scores pass through memory, in fp32 whatever the type: written, read twice, written as
// probabilities, and read once more. The products are the same as in the step.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
// Threads of a block at most. A thread of larger blocks than usual has 64 registers, which are too
// few to keep a tile's loads on their way.
constexpr int kUsualThreads = 256;
constexpr int kMaxThreads = 1024;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

constexpr int kHeadDim = worklog::kHeadDim;
constexpr float kScale = 0.125f;  // 1 / sqrt(kHeadDim)
static_assert(kScale * kScale * kHeadDim == 1.0f);

// The queries of a warp. More of them share what is read of keys and values, and take registers.
constexpr int kQueries = 8;
// The keys of a tile: each lane has the scores of one.
constexpr int kKeys = kWarpSize;
// An output's elements that a lane has.
constexpr int kPerLane = kHeadDim / kWarpSize;
static_assert(kPerLane == 2, "a lane has its elements of an output as a float2");

// The floats of 16 bytes, the most that a thread loads at once.
constexpr int kPerVector = 4;

// Keys in shared memory, for all warps of a block. A key's row is a vector longer than a head: else
// lanes that read the same place of their keys would meet in the same banks.
struct Keys {
  float rows[kKeys][kHeadDim + kPerVector];
};

// Values in shared memory.
struct Values {
  float rows[kKeys][kHeadDim];
};

// What is known of a part of a row of scores: its maximum m, and d, the sum of exp(score - m).
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 3.1)
struct Normalizer {
  float m = kNegativeInfinity;
  float d = 0.0f;
};

__device__ float warp_max(float m) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, distance));  // drops a NaN, but d keeps it
  }
  return m;
}

__device__ float warp_sum(float sum) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
  }
  return sum;
}

__device__ float4 vector_at(const float* floats) {
  return *reinterpret_cast<const float4*>(floats);
}

// A NaN or +inf on either side makes d NaN, and with it the row.
__device__ Normalizer combine(Normalizer a, float score) {
  const float m = fmaxf(a.m, score);                       // drops a NaN, but d keeps it
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  return {m, a.d * expf(a.m - origin) + expf(score - origin)};
}

__device__ Normalizer warp_reduce(Normalizer mine) {
  const float m = warp_max(mine.m);
  const float origin = m == kNegativeInfinity ? 0.0f : m;
  return {m, warp_sum(mine.d * expf(mine.m - origin))};
}

// The warp's queries, scaled: rows first .. first + kQueries - 1. Those that there are not are 0.
template <typename T>
__device__ void load_queries(const T* queries, std::int64_t first, std::int64_t rows,
                             float (&own)[kQueries][kHeadDim]) {
  const int lane = threadIdx.x % kWarpSize;
  for (int q = 0; q < kQueries; ++q) {
    for (int dim = lane; dim < kHeadDim; dim += kWarpSize) {
      const std::int64_t row = first + q;
      const float element = row < rows ? static_cast<float>(queries[row * kHeadDim + dim]) : 0.0f;
      own[q][dim] = kScale * element;
    }
  }
}

// The elements of a tile that a thread has on their way at once.
constexpr int kInFlight = 16;

// The block's next keys, or values. Those from `cols` on are 0, which no weight of 0 makes a NaN.
template <typename T, typename Tile>
__device__ void load_tile(const T* given, std::int64_t first, std::int64_t cols, Tile& tile) {
  constexpr int kElements = kKeys * kHeadDim;
  const int threads = static_cast<int>(blockDim.x);
  for (int begin = threadIdx.x; begin < kElements; begin += kInFlight * threads) {
    T x[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const int element = begin + i * threads;
      const bool exists = element < kElements && first + element / kHeadDim < cols;
      x[i] = exists ? given[first * kHeadDim + element] : static_cast<T>(0.0f);
    }
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const int element = begin + i * threads;
      if (element >= kElements) break;
      tile.rows[element / kHeadDim][element % kHeadDim] = static_cast<float>(x[i]);
    }
  }
}

// The scores of the warp's queries against this lane's key.
__device__ void score(const float (&queries)[kQueries][kHeadDim], const float* key,
                      float (&scores)[kQueries]) {
#pragma unroll
  for (int q = 0; q < kQueries; ++q) {
    scores[q] = 0.0f;
  }
#pragma unroll 4
  for (int dim = 0; dim < kHeadDim; dim += kPerVector) {
    const float4 k = vector_at(key + dim);
#pragma unroll
    for (int q = 0; q < kQueries; ++q) {
      const float4 x = vector_at(queries[q] + dim);
      scores[q] += x.x * k.x + x.y * k.y + x.z * k.z + x.w * k.w;
    }
  }
}

// Adds to the outputs of the warp's queries the tile's values, each times its weight.
__device__ void add_values(const float (&weights)[kQueries][kKeys], const Values& tile,
                           float2 (&outputs)[kQueries]) {
  const int lane = threadIdx.x % kWarpSize;
#pragma unroll 2
  for (int key = 0; key < kKeys; key += kPerVector) {
    float2 v[kPerVector];
#pragma unroll
    for (int i = 0; i < kPerVector; ++i) {
      v[i] = *reinterpret_cast<const float2*>(tile.rows[key + i] + kPerLane * lane);
    }
#pragma unroll
    for (int q = 0; q < kQueries; ++q) {
      const float4 w = vector_at(weights[q] + key);
      float2& o = outputs[q];
      o.x += w.x * v[0].x + w.y * v[1].x + w.z * v[2].x + w.w * v[3].x;
      o.y += w.x * v[0].y + w.y * v[1].y + w.z * v[2].y + w.w * v[3].y;
    }
  }
}

template <typename T>
__device__ void store(float2 o, T* output) {
  const int lane = threadIdx.x % kWarpSize;
  output[kPerLane * lane] = static_cast<T>(o.x);
  output[kPerLane * lane + 1] = static_cast<T>(o.y);
}

// The first of the kQueries rows that a warp of the two products owns.
__device__ std::int64_t first_row_of_warp() {
  return (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarpSize * kQueries;
}

template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads)
    store_scores(const T* queries, const T* keys, float* scores, std::int64_t rows,
                 std::int64_t cols) {
  extern __shared__ float4 shared[];
  Keys& tile = *reinterpret_cast<Keys*>(shared);
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  auto& own = reinterpret_cast<float(*)[kQueries][kHeadDim]>(&tile + 1)[warp];
  const std::int64_t first_row = first_row_of_warp();

  load_queries(queries, first_row, rows, own);
  for (std::int64_t first = 0; first < cols; first += kKeys) {
    __syncthreads();  // nobody reads the tile before any more
    load_tile(keys, first, cols, tile);
    __syncthreads();
    float of_key[kQueries];
    score(own, tile.rows[lane], of_key);
    const std::int64_t col = first + lane;
#pragma unroll
    for (int q = 0; q < kQueries; ++q) {
      const std::int64_t row = first_row + q;
      if (row < rows && col < cols) scores[row * cols + col] = of_key[q];
    }
  }
}

// Makes probabilities of the scores, in their place: a warp owns a row.
__global__ void __launch_bounds__(kMaxThreads)
    softmax_in_place(float* scores, std::int64_t rows, std::int64_t cols) {
  const int lane = threadIdx.x % kWarpSize;
  const std::int64_t row = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarpSize;
  if (row >= rows) return;
  float* x = scores + row * cols;

  Normalizer mine;
  for (std::int64_t col = lane; col < cols; col += kWarpSize) {
    mine = combine(mine, x[col]);
  }
  const Normalizer all = warp_reduce(mine);
  for (std::int64_t col = lane; col < cols; col += kWarpSize) {
    x[col] = expf(x[col] - all.m) / all.d;
  }
}

template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads)
    weigh_values(const float* probabilities, const T* values, T* outputs, std::int64_t rows,
                 std::int64_t cols) {
  extern __shared__ float4 shared[];
  Values& tile = *reinterpret_cast<Values*>(shared);
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  auto& own = reinterpret_cast<float(*)[kQueries][kKeys]>(&tile + 1)[warp];
  const std::int64_t first_row = first_row_of_warp();

  float2 sums[kQueries] = {};
  for (std::int64_t first = 0; first < cols; first += kKeys) {
    __syncthreads();  // nobody reads the tile before any more
    load_tile(values, first, cols, tile);
    const std::int64_t col = first + lane;
#pragma unroll
    for (int q = 0; q < kQueries; ++q) {
      const std::int64_t row = first_row + q;
      own[q][lane] = row < rows && col < cols ? probabilities[row * cols + col] : 0.0f;
    }
    __syncthreads();
    add_values(own, tile, sums);
  }

#pragma unroll
  for (int q = 0; q < kQueries; ++q) {
    const std::int64_t row = first_row + q;
    if (row < rows) store(sums[q], outputs + row * kHeadDim);
  }
}

// The blocks for so many rows, of which a warp owns `of_warp`.
constexpr std::int64_t blocks_for(std::int64_t rows, int block_size, int of_warp) {
  const std::int64_t rows_of_block = of_warp * block_size / kWarpSize;
  return (rows + rows_of_block - 1) / rows_of_block;
}

template <int kThreads, typename T>
void launch_up_to(const worklog::Attention<T>& problem, cudaStream_t stream) {
  const auto [rows, cols] = std::pair(problem.rows, problem.cols);
  const int warps = problem.block_size / kWarpSize;
  const dim3 grid(static_cast<unsigned>(blocks_for(rows, problem.block_size, kQueries)));
  const dim3 grid_of_warps(static_cast<unsigned>(blocks_for(rows, problem.block_size, 1)));
  const dim3 block(problem.block_size);
  float* scores = problem.scratch.template take<float>(rows * cols);

  std::size_t bytes = sizeof(Keys) + warps * sizeof(float[kQueries][kHeadDim]);
  worklog::allow_shared_memory(store_scores<kThreads, T>, "store_scores", static_cast<int>(bytes));
  store_scores<kThreads>
      <<<grid, block, bytes, stream>>>(problem.queries, problem.keys, scores, rows, cols);
  worklog::check_launch("store_scores", grid, block, bytes);

  softmax_in_place<<<grid_of_warps, block, 0, stream>>>(scores, rows, cols);
  worklog::check_launch("softmax_in_place", grid_of_warps, block);

  bytes = sizeof(Values) + warps * sizeof(float[kQueries][kKeys]);
  worklog::allow_shared_memory(weigh_values<kThreads, T>, "weigh_values", static_cast<int>(bytes));
  weigh_values<kThreads>
      <<<grid, block, bytes, stream>>>(scores, problem.values, problem.outputs, rows, cols);
  worklog::check_launch("weigh_values", grid, block, bytes);
}

template <typename T>
void launch(const worklog::Attention<T>& problem, cudaStream_t stream) {
  if (problem.block_size <= kUsualThreads) {
    launch_up_to<kUsualThreads>(problem, stream);
  } else {
    launch_up_to<kMaxThreads>(problem, stream);
  }
}

// Keys and values, of which every block reads all.
std::int64_t loads_of_tiles(const worklog::Launched& launched) {
  return blocks_for(launched.rows, launched.block_size, kQueries) * launched.cols * 2 * kHeadDim;
}

}  // namespace

WORKLOG_STEP(launch,
             {.builds_on = "22_attention",
              .loads = {.per_column = 3, .per_row = kHeadDim, .of_partials = loads_of_tiles},
              .stores = {.per_column = 2, .per_row = kHeadDim},
              .several_rows_a_block = true,
              .scratch_bytes = [](std::int64_t rows, std::int64_t cols, std::size_t) {
                return worklog::Scratch::bytes_for(rows * cols, sizeof(float));
              }});
