// Exchanges the pairs, but divides exponentials of different maxima by one sum.
// says: the first that is wrong is 1 x 3, random:
// says: Not right yet.

// The pair of the row, for every thread of the grid, given the pair of each block's columns.
// `of_blocks` has room for a pair of each block.
__device__ Normalizer grid_reduce(Normalizer of_block, Normalizer* of_blocks) {
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
  cg::this_grid().sync();
  return block_reduce(threadIdx.x < kBlocks ? of_blocks[threadIdx.x] : Normalizer{});
}

// What turns exponentials into probabilities of the row.
__device__ float factor_of(float, Normalizer row) {
  return 1.0f / row.d;
}
