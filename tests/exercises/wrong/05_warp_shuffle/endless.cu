// The distance stays as it is.
// limit: 1
// says: ended at case 1 of 34; the first that is wrong is 9 x 1, random:
// says: the launch takes longer than 1 s, the time limit;
// says: Not counted: a launch that does not end has no counts.
// says: Not right yet.

__device__ Normalizer block_reduce(Normalizer mine) {
  for (int distance = kWarpSize / 2; distance > 0;) {
    mine = combine(mine, {__shfl_xor_sync(kAllLanes, mine.m, distance),
                          __shfl_xor_sync(kAllLanes, mine.d, distance)});
  }
  return mine;
}
