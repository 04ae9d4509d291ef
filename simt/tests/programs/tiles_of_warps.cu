// Tiles of more than a warp: each of them waits, sums, scans and asks for itself. With -D RACE a
// tile reads what another one has stored, which its own barrier does not order.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

namespace cg = cooperative_groups;

constexpr int kThreads = 256;

struct Results {
  int sum, inclusive, exclusive, first, any, all, neighbour;
};

template <unsigned tile_size>
__global__ void use_tiles(Results* results) {
  __shared__ cg::block_tile_memory<kThreads> scratch;
  __shared__ int values[kThreads];
  const auto block = cg::this_thread_block(scratch);
  const auto tile = cg::tiled_partition<tile_size>(block);
  const int thread = static_cast<int>(block.thread_rank());
  const int rank = static_cast<int>(tile.thread_rank());
  Results mine;
  mine.sum = cg::reduce(tile, thread, cg::plus<int>());
  mine.inclusive = cg::inclusive_scan(tile, thread, cg::plus<int>());
  mine.exclusive = cg::exclusive_scan(tile, 1);
  mine.first = tile.shfl(thread, 3);
  mine.any = tile.any(thread == kThreads - 1);
  mine.all = tile.all(thread >= static_cast<int>(tile_size));

  values[thread] = thread;
  tile.sync();
  int from = thread - rank + (rank + static_cast<int>(tile_size) / 2) % static_cast<int>(tile_size);
#ifdef RACE
  from = kThreads - 1 - thread;
#endif
  mine.neighbour = values[from];
  results[thread] = mine;
}

template <unsigned tile_size>
static int wrong_results(const Results* results) {
  constexpr int kSize = static_cast<int>(tile_size);
  int wrong = 0;
  for (int i = 0; i < kThreads; ++i) {
    const Results& mine = results[i];
    const int first = i / kSize * kSize, rank = i % kSize;
    wrong += mine.sum != kSize * first + kSize * (kSize - 1) / 2;
    wrong += mine.inclusive != (rank + 1) * first + rank * (rank + 1) / 2;
    wrong += mine.exclusive != rank || mine.first != first + 3;
    wrong += (mine.any != 0) != (first + kSize == kThreads) || (mine.all != 0) != (first > 0);
#ifndef RACE
    wrong += mine.neighbour != first + (rank + kSize / 2) % kSize;
#endif
  }
  return wrong;
}

int main() {
  Results* results;
  cudaMallocManaged(&results, kThreads * sizeof(Results));
  use_tiles<64><<<1, kThreads>>>(results);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  int wrong = wrong_results<64>(results);
  use_tiles<128><<<1, kThreads>>>(results);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  wrong += wrong_results<128>(results);
  cudaFree(results);
  printf("tiles_of_warps: %s\n", wrong == 0 ? "passed" : "FAILED");
  return wrong;
}
