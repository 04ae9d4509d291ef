// Waits for the threads of its own block alone before it reads what the others leave there.
// says: which its block has not written [uninitialized-shared-read]
// says: Not right yet.

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
  __syncthreads();
  Normalizer row;
  for (int block = 0; block < kBlocks; ++block) {
    row = combine(row, {block_m[block], block_d[block]});
  }
  return row;
}
