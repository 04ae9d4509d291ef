// Reads what the other warps found, without waiting for them.
// says: barrier in between,
// says: [shared-race]
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
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine);
  if (lane == 0) {
    warp_m[warp] = mine.m;
    warp_d[warp] = mine.d;
  }
  return warp_reduce(lane < warps ? Normalizer{warp_m[lane], warp_d[lane]} : Normalizer{});
}
