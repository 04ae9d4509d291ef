// Waits for the threads of its own block alone, and reads pairs that others may not have stored.
// says: [global-race]
// says: no __threadfence() and atomic operation lie in between
// says: Not right yet.

// The pair of the row, for every thread of the grid, given the pair of each block's columns.
// `of_blocks` has room for a pair of each block.
__device__ Normalizer grid_reduce(Normalizer of_block, Normalizer* of_blocks) {
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
  __syncthreads();
  return block_reduce(threadIdx.x < kBlocks ? of_blocks[threadIdx.x] : Normalizer{});
}

// What turns exponentials that were taken against `m` into probabilities of the row.
__device__ float factor_of(float m, Normalizer row) {
  return expf(m - row.m) / row.d;
}
