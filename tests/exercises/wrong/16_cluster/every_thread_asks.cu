// Right, but every warp fetches the pairs of all other blocks over the network of the cluster.
// says: distributed_requests 12288 512 not reached: x 24
// says: Right, but not all counters are reached.

// The pair of the row, for every thread of the cluster, given the pair of each block's quarter:
// every thread fetches those of all blocks.
__device__ Normalizer cluster_reduce(Normalizer of_block) {
  __shared__ float block_m, block_d;
  const cg::cluster_group cluster = cg::this_cluster();

  if (threadIdx.x == 0) {
    block_m = of_block.m;
    block_d = of_block.d;
  }
  cluster.sync();
  Normalizer row;
  for (int block = 0; block < kBlocks; ++block) {
    row = combine(row, {*cluster.map_shared_rank(&block_m, block),
                        *cluster.map_shared_rank(&block_d, block)});
  }
  cluster.sync();  // the others have read, too
  return row;
}
