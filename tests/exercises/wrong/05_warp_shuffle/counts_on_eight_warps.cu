// Takes for granted that a block has 8 warps.
// says: the first that is wrong is 64 x 4096, random, in blocks of 128 threads:
// says: block_barriers 64 64 too early to say
// says: Not right yet.

__device__ Normalizer warp_reduce(Normalizer mine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = combine(mine, {__shfl_xor_sync(kAllLanes, mine.m, distance),
                          __shfl_xor_sync(kAllLanes, mine.d, distance)});
  }
  return mine;
}

__device__ Normalizer block_reduce(Normalizer mine) {
  __shared__ float warp_m[kMaxWarps], warp_d[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  mine = warp_reduce(mine);
  if (lane == 0) {
    warp_m[warp] = mine.m;
    warp_d[warp] = mine.d;
  }
  __syncthreads();
  return warp_reduce(lane < 8 ? Normalizer{warp_m[lane], warp_d[lane]} : Normalizer{});
}
