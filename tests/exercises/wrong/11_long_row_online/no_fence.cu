// Counts without a fence: another block may see the count before it sees the pair.
// says: no __threadfence() and atomic operation lie in between
// says: [global-race]
// says: Not right yet.

__device__ bool is_last_block(unsigned* done) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) is_last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  return is_last;
}
