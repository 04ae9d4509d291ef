// Grids whose blocks are all resident and meet at barriers of the grid; and lanes that gather where
// their branch took them.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

#include <doctest/doctest.h>
#include <numeric>
#include <utility>
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

// As pass_around, with work of their own between the halves of both barriers.
__global__ void pass_around_in_halves(int* values, int rounds) {
  __shared__ int mine;
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_block block = cg::this_thread_block();
  const unsigned next = (blockIdx.x + 1) % gridDim.x;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) mine = values[next];
    cg::grid_group::arrival_token of_grid = grid.barrier_arrive();
    cg::thread_block::arrival_token of_block = block.barrier_arrive();
    block.barrier_wait(std::move(of_block));
    const int taken = mine;
    grid.barrier_wait(std::move(of_grid));
    if (threadIdx.x == 1) values[blockIdx.x] += taken;
    grid.barrier_wait(grid.barrier_arrive());
  }
}

__global__ void waits_apart(int* values) {
  cg::this_grid().barrier_wait(cg::this_grid().barrier_arrive());
  values[0] = 1;
}

template <unsigned tile_size>
__global__ void calls_once(int* calls, int* results) {
  const auto tile = cg::tiled_partition<tile_size>(cg::this_thread_block());
  const int thread = static_cast<int>(threadIdx.x);
  cg::invoke_one(
      tile, [&](int by) { atomicAdd(calls, by); }, 1);
  cg::invoke_one(cg::this_thread_block(), [&] { atomicAdd(calls, 1000); });
  const int first = cg::invoke_one_broadcast(tile, [&] { return 10 * thread; });
  const auto sum = [](const int& a, int b) { return a + b; };
  results[thread] = cg::invoke_one_broadcast(tile, sum, first, thread);
}

constexpr int kBroadcastLine = __LINE__ + 4;
__global__ void calls_once_of_some(int* results) {
  if (threadIdx.x % 2 == 0) return;
  const auto odd = cg::coalesced_threads();
  results[threadIdx.x] = cg::invoke_one_broadcast(odd, [&] { return threadIdx.x + 100; });
}

// Each group takes a place for all that its threads bring, and tells each where its own begins.
template <unsigned tile_size>
__global__ void takes_places(const int* in, int* end, int* begins, int* ends) {
  const auto tile = cg::tiled_partition<tile_size>(cg::this_thread_block());
  const cuda::atomic_ref<int, cuda::thread_scope_device> place(*end);
  const int mine = in[threadIdx.x];
  begins[threadIdx.x] = cg::exclusive_scan_update(tile, place, mine);
  ends[threadIdx.x] = cg::inclusive_scan_update(tile, place, mine, cg::plus<int>());
}

__global__ void scans_behind_an_object(const int* in, int* maxima, int* products) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> high;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> product;
  if (threadIdx.x == 0) {
    high.store(5);
    product.store(2);
  }
  __syncthreads();
  if (threadIdx.x % 3 != 0) return;
  const auto some = cg::coalesced_threads();
  maxima[threadIdx.x] = cg::inclusive_scan_update(some, high, in[threadIdx.x], cg::greater<int>());
  const auto times = [](int a, int b) { return a * b; };
  products[threadIdx.x] = cg::exclusive_scan_update(some, product, 3, times);
  some.sync();
  if (threadIdx.x == 0) {
    maxima[1] = high.load();
    products[1] = product.load();
  }
}

// What takes_places() must give where tiles come in their order.
template <unsigned tile_size>
void check_places(unsigned threads) {
  std::vector<int> in(threads);
  std::iota(in.begin(), in.end(), 3);
  const DeviceArray<int> x(in), end(std::vector<int>{1000}), begins(threads), ends(threads);
  takes_places<tile_size><<<1, threads>>>(x.get(), end.get(), begins.get(), ends.get());
  CHECK(end.host()[0] == 1000 + 2 * std::accumulate(in.begin(), in.end(), 0));
  const std::vector<int> first = begins.host();
  const std::vector<int> last = ends.host();
  for (unsigned i = 1; i < threads; ++i) {
    if (i % tile_size == 0) continue;
    CHECK(first[i] == first[i - 1] + in[i - 1]);
    CHECK(last[i] == last[i - 1] + in[i]);
  }
  CHECK(simt::last_launch().global_atomics.elements == 2 * threads / tile_size);
  CHECK(simt::findings().empty());
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

TEST_CASE("barriers of a grid and a block in halves") {
  const DeviceArray<int> whole(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8});
  const DeviceArray<int> halves(whole.host());
  REQUIRE(launch_cooperative(pass_around, 8, 64, whole.get(), 3) == cudaSuccess);
  REQUIRE(launch_cooperative(pass_around_in_halves, 8, 64, halves.get(), 3) == cudaSuccess);
  CHECK(simt::last_launch().cluster_barriers == 6);
  CHECK(simt::last_launch().block_barriers == 3 * 8);
  CHECK(halves.host() == whole.host());
  CHECK(simt::findings().empty());
  const ExpectedFindings found;
  waits_apart<<<1, 32>>>(halves.get());
  CHECK(found.kinds() == "grid-barrier ");
}

TEST_CASE("one thread of a group calls a function, and all learn what it returned") {
  DeviceArray<int> calls = zeros<int>(1);
  DeviceArray<int> results(128);
  calls_once<32><<<1, 128>>>(calls.get(), results.get());
  CHECK(calls.host()[0] == 1004);
  std::vector<int> seen = results.host();
  CHECK(seen[0] == 0);
  CHECK(seen[31] == 0);
  CHECK(seen[127] == 10 * 96 + 96);
  calls.zero();
  calls_once<64><<<1, 128>>>(calls.get(), results.get());
  CHECK(calls.host()[0] == 1002);
  seen = results.host();
  CHECK(seen[63] == 0);
  CHECK(seen[127] == 10 * 64 + 64);
  results.zero();
  calls_once_of_some<<<1, 32>>>(results.get());
  seen = results.host();
  CHECK(seen[0] == 0);
  CHECK(seen[1] == 101);
  CHECK(seen[31] == 101);
  bool is_counted = false;
  for (const simt::LineCounters& line : simt::last_launch_by_line())
    is_counted = is_counted || (line.line == kBroadcastLine && line.counters.shuffles == 1);
  CHECK(is_counted);
  CHECK(simt::findings().empty());
}

TEST_CASE("scans behind what an atomic object holds") {
  check_places<32>(96);
  check_places<8>(32);
  check_places<128>(256);
  const DeviceArray<int> in(std::vector<int>{1, 9, 9, 7, 9, 9, 6, 9, 9, 8, 9, 9});
  const DeviceArray<int> maxima = zeros<int>(12);
  const DeviceArray<int> products = zeros<int>(12);
  scans_behind_an_object<<<1, 12>>>(in.get(), maxima.get(), products.get());
  const std::vector<int> high = maxima.host();
  CHECK(std::vector<int>{high[0], high[3], high[6], high[9], high[1]} ==
        std::vector<int>{5, 7, 7, 8, 8});
  const std::vector<int> product = products.host();
  CHECK(std::vector<int>{product[0], product[3], product[6], product[9], product[1]} ==
        std::vector<int>{2, 6, 18, 54, 162});
}

TEST_SUITE_END();
