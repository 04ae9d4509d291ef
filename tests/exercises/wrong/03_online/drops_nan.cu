// fmaxf takes the other number where one is NaN: beside -inf, nothing is left of it.
// says: 18 x 7, special:
// says: expected nan: the logit of column 0 is nan
// says: Not right yet.

__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float m = fmaxf(a.m, b.m);
  if (m == kNegativeInfinity) return {m, 0.0f};
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}
