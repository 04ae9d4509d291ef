// Exercise 10: two stages
//
// The pipeline of step 10: a launch for each stage of the maximum, one for the exponentials, one
// for each stage of the sum, and one for the quotients. A thread of `reduce` takes one column.

#include <cstdint>

#include "block_reduce.cuh"
#include "common/exercise/exercise.h"

namespace {

using namespace given;

// A column a thread.
constexpr std::int64_t blocks_for(std::int64_t count, int block_size) {
  return (count + block_size - 1) / block_size;
}

__device__ std::int64_t this_column() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// ---- your part begins ----

// How many blocks reduce `count` numbers: each leaves one.
constexpr std::int64_t reducing_blocks(std::int64_t count, int block_size) {
  return blocks_for(count, block_size);
}

// One number per block: the combination of its share of `values`.
template <typename Operation>
__global__ void reduce(const float* values, float* of_blocks, std::int64_t count) {
  const std::int64_t i = this_column();
  const float mine = i < count ? values[i] : Operation::kIdentity;
  const float of_block = block_reduce(mine, Operation());
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
}

// ---- your part ends ----

// One thread fetches what all need, so that a block loads it once.
__device__ float broadcast(const float* value) {
  __shared__ float shared;
  if (threadIdx.x == 0) shared = *value;
  __syncthreads();
  return shared;
}

__global__ void exponentiate(const float* logits, float* exponentials, std::int64_t cols,
                             const float* maximum) {
  const float m = broadcast(maximum);
  const std::int64_t col = this_column();
  if (col < cols) exponentials[col] = expf(logits[col] - m);
}

__global__ void divide(float* exponentials, std::int64_t cols, const float* sum) {
  const float d = broadcast(sum);
  const std::int64_t col = this_column();
  if (col < cols) exponentials[col] = exponentials[col] / d;
}

template <typename Operation>
void launch_reduce(const float* values, float* of_blocks, std::int64_t count, int block_size,
                   cudaStream_t stream) {
  const dim3 grid(reducing_blocks(count, block_size));
  const dim3 block(block_size);
  reduce<Operation><<<grid, block, 0, stream>>>(values, of_blocks, count);
  worklog::check_launch("reduce", grid, block);
}

// Stage after stage until one number is left, which is where the returned pointer points. Each
// stage writes its results behind those of the stage before.
template <typename Operation>
const float* launch_stages(const float* values, std::int64_t count, float* partials, int block_size,
                           cudaStream_t stream) {
  launch_reduce<Operation>(values, partials, count, block_size, stream);
  count = reducing_blocks(count, block_size);
  while (count > 1) {
    launch_reduce<Operation>(partials, partials + count, count, block_size, stream);
    partials += count;
    count = reducing_blocks(count, block_size);
  }
  return partials;
}

// More than the stages write: half as many numbers as there are columns, and one.
constexpr std::int64_t most_partials(std::int64_t cols) {
  return cols / 2 + 1;
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(blocks_for(problem.cols, problem.block_size));
  const dim3 block(problem.block_size);
  float* const of_maximum = problem.scratch.take<float>(most_partials(problem.cols));
  float* const of_sum = problem.scratch.take<float>(most_partials(problem.cols));

  const float* const m =
      launch_stages<Max>(problem.logits, problem.cols, of_maximum, problem.block_size, stream);
  exponentiate<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols, m);
  worklog::check_launch("exponentiate", grid, block);
  const float* const d =
      launch_stages<Sum>(problem.probabilities, problem.cols, of_sum, problem.block_size, stream);
  divide<<<grid, block, 0, stream>>>(problem.probabilities, problem.cols, d);
  worklog::check_launch("divide", grid, block);
}

std::int64_t scratch_bytes(std::int64_t, std::int64_t cols) {
  return 2 * worklog::Scratch::bytes_for(most_partials(cols), sizeof(float));
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 1,
                          .cols = 262144,
                          .counters = {"loads_per_element", "stores_per_element", "launches",
                                       "block_barriers", "global_load_sectors"},
                          .block_size = 256,
                          .stores_exponentials = true,
                          .scratch_bytes = scratch_bytes});
