// Thread block clusters: blocks that read each other's shared memory.

#include <cooperative_groups.h>

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "simt/tests/support/device_array.h"
#include "simt/tests/support/launch_clusters.h"

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
  cluster.sync();  // the next block has begun
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

// Each block tells the others its place in the grid; all of them keep what each of their cluster
// told, by its rank.
enum class Order { kFirst, kBetween, kAfter };

// Stores into the next block before the cluster's barrier, between its halves, or behind it.
template <Order order>
__global__ void stores_around_a_barrier(int* results) {
  __shared__ int value;
  const cg::cluster_group cluster = cg::this_cluster();
  int* const next = cluster.map_shared_rank(&value, (cluster.block_rank() + 1) % 2);
  if (order != Order::kFirst) cluster.sync();
  if (order == Order::kFirst) *next = 1;
  cluster.barrier_arrive();
  if (order == Order::kBetween) *next = 1;
  cluster.barrier_wait();
  if (order == Order::kAfter) {
    *next = 1;
    cluster.sync();
  }
  results[blockIdx.x] = value;
  cluster.sync();
}

// What lies between the halves is ordered by the next barrier.
__global__ void two_barriers_later(int* results) {
  __shared__ int value;
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  auto arrived = cluster.barrier_arrive();
  *cluster.map_shared_rank(&value, (cluster.block_rank() + 1) % 2) = 1;
  cluster.barrier_wait(std::move(arrived));
  cluster.sync();
  results[blockIdx.x] = value;
}

// As two_barriers_later, in PTX: the first arrival has nothing to release.
__global__ void halves_in_ptx(int* results) {
  __shared__ int value;
  asm volatile("barrier.cluster.arrive.relaxed.aligned;");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  const cg::cluster_group cluster = cg::this_cluster();
  *cluster.map_shared_rank(&value, (cluster.block_rank() + 1) % 2) = 1;
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  results[blockIdx.x] = value;
}

__global__ void asks_for_ranks(unsigned* ranks) {
  __shared__ int value;
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  ranks[2 * blockIdx.x] = cluster.query_shared_rank(&value);
  ranks[2 * blockIdx.x + 1] = cluster.query_shared_rank(cluster.map_shared_rank(&value, next));
  cluster.sync();
}

__global__ void asks_for_the_rank_of_global_memory(unsigned* ranks) {
  ranks[0] = cg::this_cluster().query_shared_rank(ranks);
}

__global__ void arrives_alone() {
  cg::this_cluster().barrier_arrive();
}

__global__ void arrives_twice() {
  cg::this_cluster().barrier_arrive();
  cg::this_cluster().sync();
}

__global__ void waits_alone() {
  cg::this_cluster().barrier_wait();
}

__global__ void meet(uint3* met) {
  __shared__ uint3 place;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) place = blockIdx;
  cluster.sync();
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (threadIdx.x < cluster.num_blocks()) {
    met[block * cluster.num_blocks() + threadIdx.x] = *cluster.map_shared_rank(&place, threadIdx.x);
  }
  cluster.sync();
}

__global__ void __cluster_dims__(1, 2, 1) read_the_block_below(int* results) {
  __shared__ int value;
  const cg::cluster_group cluster = cg::this_cluster();
  value = static_cast<int>(10 * blockIdx.x + blockIdx.y);
  cluster.sync();
  const unsigned below = (cluster.block_index().y + 1) % cluster.dim_blocks().y;
  results[blockIdx.y * gridDim.x + blockIdx.x] = *cluster.map_shared_rank(&value, below);
  cluster.sync();
}

// Both blocks of a column, or of a row, store in the same place, one after the other.
__global__ void store_by_column(int* results) {
  const cg::cluster_group cluster = cg::this_cluster();
  if (cluster.block_rank() == 0) results[blockIdx.x] = 1;
  cluster.sync();
  if (cluster.block_rank() == 1) results[blockIdx.x] = 2;
}
__global__ void store_by_row(int* results) {
  const cg::cluster_group cluster = cg::this_cluster();
  if (cluster.block_rank() == 0) results[blockIdx.y] = 1 + blockIdx.x;
  cluster.sync();
  if (cluster.block_rank() == 1) results[blockIdx.y] = 3 + blockIdx.x;
}

// A value that lies across two of its type's places in the next block's memory.
template <bool kLoads>
__global__ void misaligned_in_next_block(int* results) {
  extern __shared__ int inbox[];
  const cg::cluster_group cluster = cg::this_cluster();
  inbox[threadIdx.x] = 1;
  cluster.sync();
  char* const next = reinterpret_cast<char*>(
      cluster.map_shared_rank(inbox, (cluster.block_rank() + 1) % cluster.num_blocks()));
  if (threadIdx.x == 0) {
    int* const between = reinterpret_cast<int*>(next + 2);
    if (kLoads) {
      *results = *between;
    } else {
      *between = 3;
    }
  }
  cluster.sync();
}

__global__ void one_block_returns(int* results) {
  if (cg::this_cluster().block_rank() == 1) return;
  cg::this_cluster().sync();
  results[blockIdx.x] = 1;
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

TEST_CASE("a cluster is a box of the grid, and ranks count along x, then y, then z") {
  constexpr unsigned kThreads = 32;
  const dim3 grid(4, 6, 4);
  for (const dim3 cluster : {dim3(1), dim3(4), dim3(1, 2), dim3(2, 3), dim3(1, 1, 4), dim3(2, 2, 2),
                             dim3(1, 6, 2), dim3(4, 2, 2)}) {
    CAPTURE(cluster.x);
    CAPTURE(cluster.y);
    CAPTURE(cluster.z);
    const unsigned members = cluster.x * cluster.y * cluster.z;
    const DeviceArray<uint3> met(grid.x * grid.y * grid.z * members);
    REQUIRE(launch_clusters(meet, grid, kThreads, cluster, 0, met.get()) == cudaSuccess);
    const std::vector<uint3> places = met.host();
    unsigned wrong = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const unsigned block = i / members, rank = i % members;
      const unsigned x = block % grid.x, y = block / grid.x % grid.y, z = block / grid.x / grid.y;
      wrong += places[i].x != x / cluster.x * cluster.x + rank % cluster.x ||
               places[i].y != y / cluster.y * cluster.y + rank / cluster.x % cluster.y ||
               places[i].z != z / cluster.z * cluster.z + rank / cluster.x / cluster.y;
    }
    CHECK(wrong == 0);
    CHECK(simt::last_launch().cluster_barriers == 2 * grid.x * grid.y * grid.z / members);
    CHECK(simt::findings().empty());
  }
}

TEST_CASE("a kernel that declares clusters along y reads the block below") {
  const DeviceArray<int> results(4);
  read_the_block_below<<<dim3(2, 2), 1>>>(results.get());
  CHECK(results.host() == std::vector<int>{1, 11, 0, 10});
  CHECK(simt::findings().empty());
}

TEST_CASE("a barrier of the cluster orders the blocks that it consists of, and no others") {
  const ExpectedFindings found;
  const DeviceArray<int> results(2);
  launch_clusters(store_by_column, dim3(2, 2), 1, dim3(1, 2), 0, results.get());
  CHECK(found.kinds() == "");
  launch_clusters(store_by_row, dim3(2, 2), 1, dim3(2, 1), 0, results.get());
  CHECK(found.kinds() == "");
  launch_clusters(store_by_row, dim3(2, 2), 1, dim3(1, 2), 0, results.get());
  CHECK(found.kinds() == "global-race global-race ");
}

TEST_CASE("whose shared memory an address lies in") {
  const DeviceArray<unsigned> ranks(8);
  launch_clusters(asks_for_ranks, 4, 1, 4, 0, ranks.get());
  CHECK(ranks.host() == std::vector<unsigned>{0, 1, 1, 2, 2, 3, 3, 0});
  launch_clusters(asks_for_ranks, 4, 1, 2, 0, ranks.get());
  CHECK(ranks.host() == std::vector<unsigned>{0, 1, 1, 0, 0, 1, 1, 0});
  CHECK(simt::findings().empty());
  const ExpectedFindings found;
  launch_clusters(asks_for_the_rank_of_global_memory, 2, 1, 2, 0, ranks.get());
  CHECK(found.message().find("lies in no block's shared memory") != std::string::npos);
  CHECK(found.kinds() == "shared-out-of-bounds ");
}

TEST_CASE("misaligned accesses of another block's shared memory are found") {
  for (const auto kernel : {misaligned_in_next_block<true>, misaligned_in_next_block<false>}) {
    const ExpectedFindings found;
    const DeviceArray<int> results(1);
    launch_clusters(kernel, 2, 32, 2, 32 * sizeof(int), results.get());
    CHECK(cudaGetLastError() == cudaErrorMisalignedAddress);
    CHECK(found.kinds() == "misaligned-access ");
    CHECK(found.message().find(" of 4 bytes at an address that is 2 bytes past a multiple of 4") !=
          std::string::npos);
  }
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
  CHECK(found.kinds() == "shared-race distributed-before-start ");
}

TEST_CASE("an access before the other block must have begun is found") {
  const DeviceArray<int> results(2);
  {
    const ExpectedFindings found;
    launch_clusters(stores_around_a_barrier<Order::kFirst>, 2, 1, 2, 0, results.get());
    CHECK(found.kinds() == "distributed-before-start ");
  }
  launch_clusters(stores_around_a_barrier<Order::kAfter>, 2, 1, 2, 0, results.get());
  CHECK(results.host() == std::vector<int>{1, 1});
}

TEST_CASE("what a thread does between arriving and waiting is ordered by the next barrier") {
  const DeviceArray<int> results(2);
  {
    const ExpectedFindings found;
    launch_clusters(stores_around_a_barrier<Order::kBetween>, 2, 1, 2, 0, results.get());
    CHECK(found.kinds() == "shared-race ");
  }
  launch_clusters(two_barriers_later, 2, 1, 2, 0, results.get());
  CHECK(results.host() == std::vector<int>{1, 1});
  launch_clusters(halves_in_ptx, 2, 1, 2, 0, results.get());
  CHECK(results.host() == std::vector<int>{1, 1});
}

TEST_CASE("each thread arrives once for each time that it waits") {
  for (const auto& [kernel, said] :
       {std::pair{&arrives_alone, "returns without having waited"},
        std::pair{&arrives_twice, "arrives at the barrier of the cluster a second time"},
        std::pair{&waits_alone, "has not arrived there"}}) {
    const ExpectedFindings found;
    launch_clusters(kernel, 2, 1, 2, 0);
    CHECK(found.kinds() == "divergent-barrier ");
    CHECK(found.message().find(said) != std::string::npos);
  }
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
