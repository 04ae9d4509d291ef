// The other threads of the last block never learn that it is the last.
// says: not all threads of the block reach this barrier
// says: [divergent-barrier]
// says: Not right yet.

__device__ bool is_last_block(unsigned* done) {
  bool is_last = false;
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(done, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  return is_last;
}
