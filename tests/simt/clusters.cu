// Thread block clusters: blocks that read each other's shared memory.

#include <cooperative_groups.h>

#include <doctest/doctest.h>
#include <vector>

#include "tests/simt/device_array.h"

namespace cg = cooperative_groups;

namespace {

// Each block sums a slice; then each adds up the sums of all blocks of its cluster.
__global__ void sum_over_cluster(const float* x, float* sums) {
  __shared__ float of_block;
  const cg::cluster_group cluster = cg::this_cluster();
  float mine = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) {
    mine += __shfl_xor_sync(0xffffffff, mine, distance);
  }
  if (threadIdx.x == 0) of_block = mine;
  cluster.sync();
  float total = 0.0f;
  for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) {
    total += *cluster.map_shared_rank(&of_block, rank);
  }
  cluster.sync();
  sums[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

// Writes into the next block's dynamic shared memory.
__global__ void pass_on(int* results) {
  extern __shared__ int inbox[];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  cluster.map_shared_rank(inbox, next)[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
  cluster.sync();
  results[blockIdx.x * blockDim.x + threadIdx.x] = inbox[threadIdx.x];
}

__global__ void no_final_barrier(int* results) {
  __shared__ int value;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) value = blockIdx.x;
  cluster.sync();
  results[blockIdx.x] = *cluster.map_shared_rank(&value, 0);  // block 0 may be gone
}

__global__ void no_barrier_before(int* results) {
  __shared__ int value;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) value = blockIdx.x;
  results[blockIdx.x] = *cluster.map_shared_rank(&value, 0);
  cluster.sync();
}

__global__ void one_block_returns(int* results) {
  if (cg::this_cluster().block_rank() == 1) return;
  cg::this_cluster().sync();
  results[blockIdx.x] = 1;
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch_clusters(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                            unsigned cluster, std::size_t dynamic_bytes, Arguments... arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = dynamic_bytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace

TEST_SUITE_BEGIN("clusters");

TEST_CASE("blocks read each other's static shared memory") {
  constexpr unsigned kBlocks = 32, kCluster = 4;
  std::vector<float> ones(kBlocks * 32, 1.0f);
  for (unsigned block = 0; block < kBlocks; ++block)
    ones[block * 32] = static_cast<float>(block);
  const DeviceArray<float> x(ones), sums(ones.size());
  const float* in = x.get();
  REQUIRE(launch_clusters(sum_over_cluster, kBlocks, 32, kCluster, 0, in, sums.get()) ==
          cudaSuccess);
  const simt::Counters counted = simt::last_launch();
  const auto host = sums.host();
  for (unsigned block = 0; block < kBlocks; ++block) {
    const unsigned first = block / kCluster * kCluster;
    const float expected = kCluster * 31.0f + 4.0f * first + 6.0f;
    CHECK(host[block * 32 + 5] == expected);
  }
  CHECK(counted.cluster_barriers == 2 * kBlocks / kCluster);
  CHECK(counted.shared_loads.requests == kBlocks);  // the own block's counts as shared
  CHECK(counted.distributed_requests == kBlocks * (kCluster - 1));
  CHECK(counted.distributed_bytes == kBlocks * (kCluster - 1) * 32 * 4);
  CHECK(simt::findings().empty());
}

TEST_CASE("blocks write each other's dynamic shared memory") {
  const DeviceArray<int> results(8 * 64);
  REQUIRE(launch_clusters(pass_on, 8, 64, 8, 64 * sizeof(int), results.get()) == cudaSuccess);
  const auto host = results.host();
  CHECK(host[0] == 700);
  CHECK(host[3 * 64 + 63] == 263);
}

TEST_CASE("a block that reads another which has returned is found") {
  const ExpectedFindings found;
  const DeviceArray<int> results(2);
  launch_clusters(no_final_barrier, 2, 32, 2, 0, results.get());
  CHECK(found.kinds() == "distributed-after-exit ");
}

TEST_CASE("a load with no cluster barrier before it is found") {
  const ExpectedFindings found;
  const DeviceArray<int> results(2);
  launch_clusters(no_barrier_before, 2, 32, 2, 0, results.get());
  CHECK(found.kinds() == "shared-race ");
}

TEST_CASE("a cluster barrier that a block does not reach is found") {
  const ExpectedFindings found;
  const DeviceArray<int> results(2);
  launch_clusters(one_block_returns, 2, 32, 2, 0, results.get());
  CHECK(found.kinds() == "divergent-barrier ");
}

TEST_CASE("a cluster that does not divide the grid, or is too large, is refused") {
  const ExpectedFindings found;
  const DeviceArray<int> results(32);
  CHECK(launch_clusters(one_block_returns, 3, 32, 2, 0, results.get()) != cudaSuccess);
  CHECK(launch_clusters(one_block_returns, 32, 32, 32, 0, results.get()) != cudaSuccess);
  cudaGetLastError();
  CHECK(found.kinds() == "refused-launch refused-launch ");
}

TEST_SUITE_END();
