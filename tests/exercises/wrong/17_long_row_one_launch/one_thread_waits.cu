// Only the thread that stored the pair waits for the grid: the others never arrive.
// says: the block cannot go on
// says: [deadlock]
// says: Not right yet.

// The pair of the row, for every thread of the grid, given the pair of each block's columns.
// `of_blocks` has room for a pair of each block.
__device__ Normalizer grid_reduce(Normalizer of_block, Normalizer* of_blocks) {
  if (threadIdx.x == 0) {
    of_blocks[blockIdx.x] = of_block;
    cg::this_grid().sync();
  }
  return block_reduce(threadIdx.x < kBlocks ? of_blocks[threadIdx.x] : Normalizer{});
}

// What turns exponentials that were taken against `m` into probabilities of the row.
__device__ float factor_of(float m, Normalizer row) {
  return expf(m - row.m) / row.d;
}
