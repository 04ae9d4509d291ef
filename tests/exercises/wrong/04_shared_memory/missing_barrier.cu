// The right pairs, and no barrier between the rounds.
// says: have no barrier in between,
// says: [shared-race]
// says: shared_load_bank_conflicts 0 0 too early to say
// says: Not right yet.

for (int distance = threads / 2; distance > 0; distance /= 2) {
  if (thread < distance) combine_places(shared_m, shared_d, thread, thread + distance);
}
__syncthreads();
