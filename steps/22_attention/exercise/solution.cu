// Exercise 22: one query, many warps
//
// When a language model writes, a token has one query, and its keys are those of all tokens before
// it. A block computes the output of a query. Each of its warps takes in all keys for itself.

#include <cstdint>
#include <limits>

#include "common/exercise/exercise.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
constexpr int kHeadDim = worklog::kHeadDim;
constexpr float kScale = 0.125f;  // 1 / sqrt(kHeadDim)

// What a warp knows of a query: the maximum m of the scores, d, the sum of exp(score - m), and of
// o, the sum of the values times exp(score - m), this lane's two elements.
struct Partial {
  float m = kNegativeInfinity;
  float d = 0.0f;
  float2 o = {0.0f, 0.0f};
};

// This lane's two elements of a row of a head.
__device__ float2 load(const float* row) {
  const int lane = threadIdx.x % kWarpSize;
  return {row[lane], row[lane + kWarpSize]};
}

// The product of two rows of which each lane has two elements, for all lanes.
__device__ float product(float2 a, float2 b) {
  float sum = a.x * b.x + a.y * b.y;
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
  }
  return sum;
}

// Takes in a key, by its score, and its value.
__device__ void take(Partial& a, float score, float2 value) {
  const float m = fmaxf(a.m, score);                       // drops a NaN, but d keeps it
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  const float ratio = expf(a.m - origin);
  const float weight = expf(score - origin);
  a = {m,
       a.d * ratio + weight,
       {a.o.x * ratio + weight * value.x, a.o.y * ratio + weight * value.y}};
}

// ---- your part begins ----

// What the block knows of a query when all keys were taken in, each by one of its warps.
__device__ Partial take_all(float2 query, const float* keys, const float* values, int cols) {
  __shared__ Partial of_warps[kMaxWarps][kWarpSize];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  Partial mine;
  for (int col = warp; col < cols; col += warps) {
    const float score = product(query, load(keys + col * kHeadDim));
    take(mine, score, load(values + col * kHeadDim));
  }
  of_warps[warp][lane] = mine;
  __syncthreads();
  Partial all;
  for (int w = 0; w < warps; ++w) {
    all.m = fmaxf(all.m, of_warps[w][lane].m);
  }
  for (int w = 0; w < warps; ++w) {
    const Partial part = of_warps[w][lane];
    const float ratio = expf(part.m - all.m);  // 0 for a warp without a key
    all.d += part.d * ratio;
    all.o.x += part.o.x * ratio;
    all.o.y += part.o.y * ratio;
  }
  return all;
}

// ---- your part ends ----

__global__ void attention(const float* queries, const float* keys, const float* values,
                          float* outputs, int cols) {
  const std::int64_t row = blockIdx.x;
  const float2 scaled = load(queries + row * kHeadDim);
  const Partial all = take_all({kScale * scaled.x, kScale * scaled.y}, keys, values, cols);
  if (threadIdx.x < kWarpSize) {
    float* output = outputs + row * kHeadDim + threadIdx.x;
    output[0] = all.o.x / all.d;
    output[kWarpSize] = all.o.y / all.d;
  }
}

void launch(const worklog::Attention<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  attention<<<grid, block, 0, stream>>>(problem.queries, problem.keys, problem.values,
                                        problem.outputs, static_cast<int>(problem.cols));
  worklog::check_launch("attention", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 16,
                          .cols = 512,
                          .counters = {"loads_per_element", "global_load_requests", "shuffles",
                                       "block_barriers"},
                          .block_size = 128,
                          .serial_sum = true});
