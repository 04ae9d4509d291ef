// Step 22: attention
//
// What the operator is for. A query's scores against all keys are a row of logits, and their
// softmax weighs the values. A warp carries (m, d, o) along the keys, o being the weighted sum so
// far: a vector that is rescaled as d is. So no score is ever stored.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

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

// Keys and their values in shared memory, for all warps of a block. A key's row is a vector longer
// than a head: else lanes that read the same place of their keys would meet in the same banks.
struct Tile {
  float keys[kKeys][kHeadDim + kPerVector];
  float values[kKeys][kHeadDim];
};

// What the lanes of a warp tell each other.
struct OfWarp {
  float queries[kQueries][kHeadDim];  // scaled
  float weights[kQueries][kKeys];     // exp(score - m)
};

// What is known of a query so far: the maximum m of its scores, this lane's share of d, the sum of
// exp(score - m), and of o this lane's elements. (Milakov and Gimelshein, "Online normalizer
// calculation for softmax", section 3.1, with a vector beside d)
struct Partial {
  float m = kNegativeInfinity;
  float d = 0.0f;
  float2 o = {0.0f, 0.0f};
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

// The warp's queries, scaled: rows first .. first + kQueries - 1. Those that there are not are 0.
template <typename T>
__device__ void load_queries(const T* queries, std::int64_t first, std::int64_t rows,
                             OfWarp& warp) {
  const int lane = threadIdx.x % kWarpSize;
  for (int q = 0; q < kQueries; ++q) {
    for (int dim = lane; dim < kHeadDim; dim += kWarpSize) {
      const std::int64_t row = first + q;
      const float element = row < rows ? static_cast<float>(queries[row * kHeadDim + dim]) : 0.0f;
      warp.queries[q][dim] = kScale * element;
    }
  }
}

// The elements of a tile's keys, and of its values, that a thread has on their way at once.
constexpr int kInFlight = 16;

// The block's next keys and values. Those from `cols` on are 0, which no weight of 0 makes a NaN.
template <typename T>
__device__ void load_tile(const T* keys, const T* values, std::int64_t first, std::int64_t cols,
                          Tile& tile) {
  constexpr int kElements = kKeys * kHeadDim;
  const int threads = static_cast<int>(blockDim.x);
  for (int begin = threadIdx.x; begin < kElements; begin += kInFlight * threads) {
    T k[kInFlight];
    T v[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const int element = begin + i * threads;
      const bool exists = element < kElements && first + element / kHeadDim < cols;
      k[i] = exists ? keys[first * kHeadDim + element] : static_cast<T>(0.0f);
      v[i] = exists ? values[first * kHeadDim + element] : static_cast<T>(0.0f);
    }
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const int element = begin + i * threads;
      if (element >= kElements) break;
      tile.keys[element / kHeadDim][element % kHeadDim] = static_cast<float>(k[i]);
      tile.values[element / kHeadDim][element % kHeadDim] = static_cast<float>(v[i]);
    }
  }
}

// The scores of the warp's queries against this lane's key.
__device__ void score(const OfWarp& warp, const float* key, float (&scores)[kQueries]) {
#pragma unroll
  for (int q = 0; q < kQueries; ++q) {
    scores[q] = 0.0f;
  }
#pragma unroll 4
  for (int dim = 0; dim < kHeadDim; dim += kPerVector) {
    const float4 k = vector_at(key + dim);
#pragma unroll
    for (int q = 0; q < kQueries; ++q) {
      const float4 x = vector_at(warp.queries[q] + dim);
      scores[q] += x.x * k.x + x.y * k.y + x.z * k.z + x.w * k.w;
    }
  }
}

// Takes a tile's scores, one in each lane, into what is known of a query, but for their values,
// and returns the lane's weight: d and o are rescaled once for all of them.
__device__ float combine(Partial& a, float score) {
  const float m = fmaxf(a.m, warp_max(score));
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  const float ratio = expf(a.m - origin);
  const float weight = expf(score - origin);
  a = {m, a.d * ratio + weight, {a.o.x * ratio, a.o.y * ratio}};
  return weight;
}

// Adds to the outputs of the warp's queries the tile's values, each times its weight.
__device__ void add_values(const OfWarp& warp, const Tile& tile, Partial (&partials)[kQueries]) {
  const int lane = threadIdx.x % kWarpSize;
#pragma unroll 2
  for (int key = 0; key < kKeys; key += kPerVector) {
    float2 v[kPerVector];
#pragma unroll
    for (int i = 0; i < kPerVector; ++i) {
      v[i] = *reinterpret_cast<const float2*>(tile.values[key + i] + kPerLane * lane);
    }
#pragma unroll
    for (int q = 0; q < kQueries; ++q) {
      const float4 w = vector_at(warp.weights[q] + key);
      float2& o = partials[q].o;
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

// A warp owns kQueries rows, and a block's warps share its tiles.
template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads)
    attention(const T* queries, const T* keys, const T* values, T* outputs, std::int64_t rows,
              std::int64_t cols) {
  extern __shared__ float4 shared[];
  Tile& tile = *reinterpret_cast<Tile*>(shared);
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;
  OfWarp& own = reinterpret_cast<OfWarp*>(&tile + 1)[warp];
  const std::int64_t first_row = (std::int64_t{blockIdx.x} * warps + warp) * kQueries;

  load_queries(queries, first_row, rows, own);
  Partial partials[kQueries];
  for (std::int64_t first = 0; first < cols; first += kKeys) {
    __syncthreads();  // nobody reads the tile before any more
    load_tile(keys, values, first, cols, tile);
    __syncthreads();
    float scores[kQueries];
    score(own, tile.keys[lane], scores);
#pragma unroll
    for (int q = 0; q < kQueries; ++q) {
      const bool exists = first + lane < cols;
      own.weights[q][lane] = combine(partials[q], exists ? scores[q] : kNegativeInfinity);
    }
    __syncwarp();
    add_values(own, tile, partials);
  }

#pragma unroll
  for (int q = 0; q < kQueries; ++q) {
    const float d = warp_sum(partials[q].d);  // 0 where all scores are -inf: the output is NaN
    const float2 o = partials[q].o;
    const std::int64_t row = first_row + q;
    if (row < rows) store({o.x / d, o.y / d}, outputs + row * kHeadDim);
  }
}

// The blocks for so many rows.
constexpr std::int64_t blocks_for(std::int64_t rows, int block_size) {
  const std::int64_t rows_of_block = kQueries * block_size / kWarpSize;
  return (rows + rows_of_block - 1) / rows_of_block;
}

template <int kThreads, typename T>
void launch_up_to(const worklog::Attention<T>& problem, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(blocks_for(problem.rows, problem.block_size)));
  const dim3 block(problem.block_size);
  const std::size_t bytes = sizeof(Tile) + problem.block_size / kWarpSize * sizeof(OfWarp);
  worklog::allow_shared_memory(attention<kThreads, T>, "attention", static_cast<int>(bytes));
  attention<kThreads><<<grid, block, bytes, stream>>>(problem.queries, problem.keys, problem.values,
                                                      problem.outputs, problem.rows, problem.cols);
  worklog::check_launch("attention", grid, block, bytes);
}

template <typename T>
void launch(const worklog::Attention<T>& problem, cudaStream_t stream) {
  if (problem.block_size <= kUsualThreads) {
    launch_up_to<kUsualThreads>(problem, stream);
  } else {
    launch_up_to<kMaxThreads>(problem, stream);
  }
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "12_bytes_in_flight",
                      .loads = {.per_row = kHeadDim,
                                .of_partials =
                                    [](const worklog::Launched& launched) {
                                      return blocks_for(launched.rows, launched.block_size) *
                                             launched.cols * 2 * kHeadDim;
                                    }},
                      .stores = {.per_row = kHeadDim},
                      .several_rows_a_block = true});
