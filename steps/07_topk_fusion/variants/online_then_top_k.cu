// Step 07, variant: online softmax, then top-k
//
// The softmax of safe_then_top_k with the online normalizer of step 03, which saves one of its
// passes; the top-k that reads the probabilities back is the same.
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 4)

#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/step.h"
#include "row_tiles.cuh"
#include "store_softmax.cuh"
#include "top_k_of_values.cuh"

namespace {

using namespace topk;

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
__global__ void __launch_bounds__(kMaxThreads)
    softmax(const T* logits, T* probabilities, std::int64_t cols) {
  const RowShare<T> row(logits + blockIdx.x * cols, cols);

  const float edge = row.load_edge();
  Normalizer mine;
  row.for_each_tile(
      [&](const Tile<T>& tile, std::int64_t, std::int64_t) { mine = combine_tile<T>(mine, tile); });
  mine = combine(mine, {edge, 1.0f});
  const Normalizer total = block_reduce(mine);

  store_softmax(row, probabilities + blockIdx.x * cols, total.m, total.d);
}

// Each of the two kernels has its own best block size; the one that is asked for is the softmax's.
template <typename T>
void launch(const worklog::TopK<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  T* probabilities = problem.scratch.template take<T>(problem.rows * problem.cols);
  softmax<<<grid, block, 0, stream>>>(problem.logits, probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
  launch_top_k(probabilities, problem, top_k_block_size(problem.rows, problem.cols), stream);
}

std::int64_t scratch_bytes(std::int64_t rows, std::int64_t cols, std::size_t element_bytes) {
  return worklog::Scratch::bytes_for(rows * cols, element_bytes);
}

}  // namespace

WORKLOG_STEP(
    launch,
    {.builds_on = "07_topk_fusion/safe_then_top_k",
     .loads = {3},
     .stores = {.per_column = 1, .per_k = 2},
     .block_sizes = {{1024, 32}, {4096, 128}, {10000, 256}, {worklog::BlockSizes::kAnyWidth, 512}},
     .few_rows_block_sizes = {{1024, 64}, {4096, 128}, {worklog::BlockSizes::kAnyWidth, 512}},
     .scratch_bytes = scratch_bytes,
     .top_k_operation = worklog::Operation::kSoftmaxThenTopK});
