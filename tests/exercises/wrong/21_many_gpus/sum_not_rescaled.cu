// The sums of the ranks are taken against maxima of their own, and added up as they are.
// says: Not right yet.

__device__ Normalizer ranks_combine(const Normalizer* told, std::int64_t rows, std::int64_t row) {
  const int lane = threadIdx.x % kWarpSize;
  Normalizer known = lane < kRanks ? told[lane * rows + row] : Normalizer{};
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    known.m = fmaxf(known.m, __shfl_xor_sync(kAllLanes, known.m, distance));
    known.d += __shfl_xor_sync(kAllLanes, known.d, distance);
  }
  return known;
}
