// Goes on without barriers one round too early, while two warps still work.
// says: [shared-race]
// says: Not right yet.

for (int distance = threads / 2; distance > 2 * kWarpSize; distance /= 2) {
  if (thread < distance) combine_places(shared_m, shared_d, thread, thread + distance);
  __syncthreads();
}
if (thread < 2 * kWarpSize) {
  for (int distance = 2 * kWarpSize; distance > 0; distance /= 2) {
    if (thread < distance) combine_places(shared_m, shared_d, thread, thread + distance);
    __syncwarp();
  }
}
__syncthreads();
