// Lanes of a warp run together, or so it seems: nothing orders what they write and read.
// says: [shared-race]
// says: block_barriers 256 256 too early to say
// says: Not right yet.

for (int distance = threads / 2; distance > kWarpSize; distance /= 2) {
  if (thread < distance) combine_places(shared_m, shared_d, thread, thread + distance);
  __syncthreads();
}
if (thread < kWarpSize) {
  for (int distance = kWarpSize; distance > 0; distance /= 2) {
    if (thread < distance) combine_places(shared_m, shared_d, thread, thread + distance);
  }
}
__syncthreads();
