// Step 10: one long row, many launches
//
// Blocks cannot wait for each other, but launches do: one launch ends before the next begins. So
// the row is cut into a block's share each, every block reduces its own, and the next launch
// reduces what they found, until one number is left. With a launch for every stage of the maximum,
// one for the exponentials, one for every stage of the sum, and one for the quotients, all
// multiprocessors work, and every intermediate result passes through global memory.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

struct Max {
  static constexpr float kIdentity = -std::numeric_limits<float>::infinity();
  __device__ float operator()(float a, float b) const {
    return fmaxf(a, b);  // drops a NaN, which its exponential brings back
  }
};

struct Sum {
  static constexpr float kIdentity = 0.0f;
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Every lane returns the combination of all 32.
template <typename Operation>
__device__ float warp_reduce(float mine, Operation combine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = combine(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  }
  return mine;
}

// Every thread returns the combination of all threads of the block. Each operation is a function of
// its own with shared memory of its own, so that no barrier is needed between two of them.
template <typename Operation>
__device__ float block_reduce(float mine, Operation combine) {
  __shared__ float warp_result[kMaxWarps], row_result;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine, combine);
  if (lane == 0) warp_result[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = warp_reduce(lane < warps ? warp_result[lane] : Operation::kIdentity, combine);
    if (lane == 0) row_result = mine;
  }
  __syncthreads();
  return row_result;
}

// A column a thread.
__host__ __device__ constexpr std::int64_t blocks_for(std::int64_t count, int block_size) {
  return (count + block_size - 1) / block_size;
}

__device__ std::int64_t this_column() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// One number per block: the combination of its share of `values`.
template <typename Operation, typename T>
__global__ void reduce(const T* values, float* of_blocks, std::int64_t count) {
  const std::int64_t i = this_column();
  const float mine = i < count ? static_cast<float>(values[i]) : Operation::kIdentity;
  const float of_block = block_reduce(mine, Operation());
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
}

// One thread fetches what all need, so that a block loads it once.
__device__ float broadcast(const float* value) {
  __shared__ float shared;
  if (threadIdx.x == 0) shared = *value;
  __syncthreads();
  return shared;
}

template <typename T>
__global__ void exponentiate(const T* logits, T* exponentials, std::int64_t cols,
                             const float* maximum) {
  const float m = broadcast(maximum);
  const std::int64_t col = this_column();
  if (col < cols) exponentials[col] = static_cast<T>(expf(static_cast<float>(logits[col]) - m));
}

template <typename T>
__global__ void divide(T* exponentials, std::int64_t cols, const float* sum) {
  const float d = broadcast(sum);
  const std::int64_t col = this_column();
  if (col < cols) exponentials[col] = static_cast<T>(static_cast<float>(exponentials[col]) / d);
}

template <typename Operation, typename T>
void launch_reduce(const T* values, float* of_blocks, std::int64_t count, int block_size,
                   cudaStream_t stream) {
  const dim3 grid(blocks_for(count, block_size));
  const dim3 block(block_size);
  reduce<Operation><<<grid, block, 0, stream>>>(values, of_blocks, count);
  worklog::check_launch("reduce", grid, block);
}

// Stage after stage until one number is left, which is where the returned pointer points. Each
// stage writes its results behind those of the stage before.
template <typename Operation, typename T>
const float* launch_stages(const T* values, std::int64_t count, float* partials, int block_size,
                           cudaStream_t stream) {
  launch_reduce<Operation>(values, partials, count, block_size, stream);
  count = blocks_for(count, block_size);
  while (count > 1) {
    launch_reduce<Operation>(partials, partials + count, count, block_size, stream);
    partials += count;
    count = blocks_for(count, block_size);
  }
  return partials;
}

// What the stages write: a number for each block of each stage.
std::int64_t partials_for(std::int64_t cols, int block_size) {
  std::int64_t total = 0;
  std::int64_t count = cols;
  do {
    count = blocks_for(count, block_size);
    total += count;
  } while (count > 1);
  return total;
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const dim3 grid(blocks_for(problem.cols, problem.block_size));
  const dim3 block(problem.block_size);
  const std::int64_t partials = partials_for(problem.cols, problem.block_size);
  float* const of_maximum = problem.scratch.template take<float>(partials);
  float* const of_sum = problem.scratch.template take<float>(partials);

  const float* const m =
      launch_stages<Max>(problem.logits, problem.cols, of_maximum, problem.block_size, stream);
  exponentiate<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols, m);
  worklog::check_launch("exponentiate", grid, block);
  const float* const d = launch_stages<Sum>(static_cast<const T*>(problem.probabilities),
                                            problem.cols, of_sum, problem.block_size, stream);
  divide<<<grid, block, 0, stream>>>(problem.probabilities, problem.cols, d);
  worklog::check_launch("divide", grid, block);
}

// The smallest block has the most partials.
std::int64_t scratch_bytes(std::int64_t, std::int64_t cols, std::size_t) {
  return 2 * worklog::Scratch::bytes_for(partials_for(cols, kWarpSize), sizeof(float));
}

// Of each reduction, all partials but the last are read by the next stage. The last one, the
// maximum or the sum, is read by every block of the next launch.
std::int64_t partial_loads(const worklog::Launched& launched) {
  return 2 * (partials_for(launched.cols, launched.block_size) - 1) +
         2 * blocks_for(launched.cols, launched.block_size);
}

std::int64_t partial_stores(const worklog::Launched& launched) {
  return 2 * partials_for(launched.cols, launched.block_size);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "09_long_row_one_block",
                      .loads = {.per_column = 4, .of_partials = partial_loads},
                      .stores = {.per_column = 2, .of_partials = partial_stores},
                      .max_rows = 1,
                      .stores_exponentials = true,
                      .scratch_bytes = scratch_bytes});
