// A histogram whose bins are spread over the shared memory of the blocks of a cluster.

#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void cluster_histogram(int *bins, const int nbins, const int bins_per_block,
                                  const int *__restrict__ input, size_t array_size) {
  extern __shared__ int smem[];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned cluster_block_rank = cluster.block_rank();
  const int cluster_size = static_cast<int>(cluster.dim_blocks().x);

  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) smem[i] = 0;
  cluster.sync();  // every block has begun, and its bins are 0

  const int tid = static_cast<int>(cg::this_grid().thread_rank());
  for (int i = tid; i < static_cast<int>(array_size); i += blockDim.x * gridDim.x) {
    int bin = input[i];
    if (bin < 0) bin = 0;
    if (bin >= nbins) bin = nbins - 1;
    const int dst_block_rank = bin / bins_per_block;
    const int dst_offset = bin % bins_per_block;
    int *dst_smem = cluster.map_shared_rank(smem, dst_block_rank);
    atomicAdd(dst_smem + dst_offset, 1);
  }
  cluster.sync();  // no block ends before all have added

  int *lbins = bins + cluster_block_rank * bins_per_block;
  for (int i = threadIdx.x; i < bins_per_block && cluster_block_rank < static_cast<unsigned>(cluster_size);
       i += blockDim.x)
    atomicAdd(&lbins[i], smem[i]);
}

int main() {
  const int n = 8000, nbins = 128, cluster_size = 2, threads_per_block = 128;
  std::vector<int> input(n), bins(nbins), expected(nbins, 0);
  for (int i = 0; i < n; ++i) {
    input[i] = i * i % nbins;
    ++expected[input[i]];
  }
  int *d_input, *d_bins;
  cudaMalloc(&d_input, n * sizeof(int));
  cudaMalloc(&d_bins, nbins * sizeof(int));
  cudaMemcpy(d_input, input.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_bins, 0, nbins * sizeof(int));

  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = threads_per_block;
  const int nbins_per_block = nbins / cluster_size;
  config.dynamicSmemBytes = nbins_per_block * sizeof(int);
  cudaFuncSetAttribute((void *)cluster_histogram, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(config.dynamicSmemBytes));
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = cluster_size;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  config.numAttrs = 1;
  config.attrs = attribute;
  cudaError_t error = cudaLaunchKernelEx(&config, cluster_histogram, d_bins, nbins, nbins_per_block,
                                         (const int *)d_input, (size_t)n);
  if (error != cudaSuccess) {
    printf("launch: %s\n", cudaGetErrorString(error));
    return 2;
  }
  cudaMemcpy(bins.data(), d_bins, nbins * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_input);
  cudaFree(d_bins);
  const bool ok = bins == expected;
  puts(ok ? "same bins" : "other bins");
  return ok ? 0 : 1;
}
