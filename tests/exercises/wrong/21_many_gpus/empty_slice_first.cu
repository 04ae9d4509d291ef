// The first slice may have no column: -inf less -inf is NaN.
// says: Not right yet.

__device__ Normalizer ranks_combine(const Normalizer* told, std::int64_t rows, std::int64_t row) {
  Normalizer known;
  for (int rank = 0; rank < kRanks; ++rank) {
    const Normalizer next = told[rank * rows + row];
    const float m = fmaxf(known.m, next.m);
    known = {m, known.d * expf(known.m - m) + next.d * expf(next.m - m)};
  }
  return known;
}
