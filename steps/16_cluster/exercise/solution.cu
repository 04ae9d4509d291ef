// Exercise 16: one pair from four blocks
//
// Four blocks share a row, a quarter of its columns each, and agree on the row's m and d through
// each other's shared memory.

#include <cooperative_groups.h>

#include <cstdint>

#include "common/exercise/exercise.h"
#include "normalizer.cuh"

namespace {

using namespace given;
namespace cg = cooperative_groups;

// Blocks of a cluster.
constexpr int kBlocks = 4;

// ---- your part begins ----

// The pair of the row, for every thread of the cluster, given the pair of each block's quarter:
// every block leaves its own with all.
__device__ Normalizer cluster_reduce(Normalizer of_block) {
  __shared__ float block_m[kBlocks], block_d[kBlocks];
  const cg::cluster_group cluster = cg::this_cluster();

  cluster.sync();  // the others run, so that their shared memory is there
  if (threadIdx.x < kBlocks) {
    const int other = static_cast<int>(threadIdx.x);
    cluster.map_shared_rank(block_m, other)[cluster.block_rank()] = of_block.m;
    cluster.map_shared_rank(block_d, other)[cluster.block_rank()] = of_block.d;
  }
  cluster.sync();
  Normalizer row;
  for (int block = 0; block < kBlocks; ++block) {
    row = combine(row, {block_m[block], block_d[block]});
  }
  return row;
}

// ---- your part ends ----

__global__ void __cluster_dims__(kBlocks, 1, 1)
    softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const cg::cluster_group cluster = cg::this_cluster();
  const std::int64_t row = blockIdx.x / kBlocks;
  const float* x = logits + row * cols;
  float* y = probabilities + row * cols;
  const std::int64_t first = cluster.thread_rank();
  const std::int64_t threads = cluster.num_threads();

  Normalizer mine;
  for (std::int64_t col = first; col < cols; col += threads) {
    mine = combine(mine, {x[col], 1.0f});
  }
  const Normalizer whole = cluster_reduce(block_reduce(mine));
  for (std::int64_t col = first; col < cols; col += threads) {
    y[col] = expf(x[col] - whole.m) / whole.d;
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(problem.rows * kBlocks));
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 4000,
                          .counters = {"loads_per_element", "stores_per_element",
                                       "cluster_barriers", "distributed_requests"}});
