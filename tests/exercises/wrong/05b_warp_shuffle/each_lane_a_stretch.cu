// Each lane gathers neighbours: at every turn the lanes read places 8 apart, which share 4 banks.
// says: shared_load_bank_conflicts 7168 0 not reached
// says: Right, but not all counters are reached.

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
    const int each = threads / kWarpSize;
    mine = Normalizer{};
    for (int i = 0; i < each; ++i) {
      mine = combine(mine, {thread_m[thread * each + i], thread_d[thread * each + i]});
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
