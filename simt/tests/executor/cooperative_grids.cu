// Grids whose blocks are all resident and meet at barriers of the grid; and lanes that gather where
// their branch took them.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <doctest/doctest.h>
#include <numeric>
#include <vector>

#include "simt/tests/support/device_array.h"

namespace cg = cooperative_groups;

namespace {

// Each round, every block adds what its neighbour had in the round before.
__global__ void pass_around(int* values, int rounds) {
  __shared__ int mine;
  const cg::grid_group grid = cg::this_grid();
  const unsigned next = (blockIdx.x + 1) % gridDim.x;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) mine = values[next];
    grid.sync();
    if (threadIdx.x == 0) values[blockIdx.x] += mine;
    grid.sync();
  }
}

__global__ void one_block_returns(int* values) {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync();
  values[blockIdx.x] = 1;
}

__global__ void own_cluster(unsigned* results) {
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  results[blockIdx.x] = cluster.num_blocks() * 10 + cluster.block_rank();
}

template <typename... Parameters>
cudaError_t launch_cooperative(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                               Parameters... parameters) {
  void* arguments[] = {&parameters...};
  return cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), arguments);
}

__global__ void count_by_leader(const int* in, int* count, unsigned* masks) {
  if (in[threadIdx.x] % 3 == 0) {
    masks[threadIdx.x] = __activemask();
    const cg::coalesced_group group = cg::coalesced_threads();
    if (group.thread_rank() == 0) atomicAdd(count, static_cast<int>(group.size()));
  } else {
    masks[threadIdx.x] = __activemask();
  }
}

__global__ void in_groups(const int* in, int* sums, int* scans) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int value = in[threadIdx.x];
  const cg::coalesced_group same = cg::labeled_partition(warp, value % 3);
  sums[threadIdx.x] = cg::reduce(same, value, cg::plus<int>());
  scans[threadIdx.x] = cg::exclusive_scan(same, value);
}

}  // namespace

TEST_SUITE_BEGIN("cooperative_grids");

TEST_CASE("blocks of a cooperative grid meet") {
  constexpr unsigned kBlocks = 40;
  std::vector<int> expected(kBlocks);
  std::iota(expected.begin(), expected.end(), 0);
  const DeviceArray<int> values(expected);
  for (int round = 0; round < 3; ++round) {
    const std::vector<int> before = expected;
    for (unsigned block = 0; block < kBlocks; ++block)
      expected[block] += before[(block + 1) % kBlocks];
  }
  REQUIRE(launch_cooperative(pass_around, kBlocks, 64, values.get(), 3) == cudaSuccess);
  const simt::Counters counted = simt::last_launch();
  CHECK(values.host() == expected);
  CHECK(counted.cluster_barriers == 6);
  CHECK(counted.blocks == kBlocks);
  CHECK(simt::findings().empty());
}

TEST_CASE("a barrier of the grid that a block does not reach is found") {
  const ExpectedFindings found;
  const DeviceArray<int> values(2);
  launch_cooperative(one_block_returns, 2, 32, values.get());
  CHECK(found.kinds() == "divergent-barrier ");
}

TEST_CASE("a barrier of a grid that is not cooperative is found") {
  const ExpectedFindings found;
  const DeviceArray<int> values = zeros<int>(1);
  pass_around<<<1, 32>>>(values.get(), 1);
  CHECK(found.kinds() == "grid-barrier ");
}

TEST_CASE("blocks of a cooperative grid are clusters of one") {
  const DeviceArray<unsigned> results(20);
  REQUIRE(launch_cooperative(own_cluster, 20, 32, results.get()) == cudaSuccess);
  CHECK(results.host() == std::vector<unsigned>(20, 10));
}

TEST_CASE("active lanes are those of the branch") {
  std::vector<int> in(32);
  std::iota(in.begin(), in.end(), 0);
  const DeviceArray<int> x(in), count = zeros<int>(1);
  const DeviceArray<unsigned> masks(32);
  count_by_leader<<<1, 32>>>(x.get(), count.get(), masks.get());
  CHECK(count.host()[0] == 11);
  const auto seen = masks.host();
  for (unsigned lane = 0; lane < 32; ++lane)
    CHECK(seen[lane] == (lane % 3 == 0 ? 0x49249249u : ~0x49249249u));
}

TEST_CASE("threads with the same label reduce and scan") {
  std::vector<int> in(32);
  std::iota(in.begin(), in.end(), 1);
  const DeviceArray<int> x(in), sums(32), scans(32);
  in_groups<<<1, 32>>>(x.get(), sums.get(), scans.get());
  const auto sum = sums.host();
  const auto scan = scans.host();
  for (int i = 0; i < 32; ++i) {
    int expected_sum = 0;
    int expected_scan = 0;
    for (int j = 0; j < 32; ++j) {
      if (in[j] % 3 != in[i] % 3) continue;
      expected_sum += in[j];
      if (j < i) expected_scan += in[j];
    }
    CHECK(sum[i] == expected_sum);
    CHECK(scan[i] == expected_scan);
  }
}

TEST_SUITE_END();
