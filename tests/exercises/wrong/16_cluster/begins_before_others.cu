// Leaves its pair with the other blocks before anything tells it that they run.
// says: which may not have begun: begin with a cluster barrier [distributed-before-start]
// says: Not right yet.

// The pair of the row, for every thread of the cluster, given the pair of each block's quarter:
// every block leaves its own with all.
__device__ Normalizer cluster_reduce(Normalizer of_block) {
  __shared__ float block_m[kBlocks], block_d[kBlocks];
  const cg::cluster_group cluster = cg::this_cluster();

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
