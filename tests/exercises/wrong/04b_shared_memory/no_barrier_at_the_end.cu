// The other warps read the result before it is there.
// says: [shared-race]
// says: block_barriers 192 256 too early to say
// says: Not right yet.

for (int distance = threads / 2; distance > kWarpSize; distance /= 2) {
  if (thread < distance) combine_places(shared_m, shared_d, thread, thread + distance);
  __syncthreads();
}
if (thread < kWarpSize) {
  for (int distance = kWarpSize; distance > 0; distance /= 2) {
    if (thread < distance) combine_places(shared_m, shared_d, thread, thread + distance);
    __syncwarp();
  }
}
