// One exponential for the smaller maximum, and 1 for the larger: but exp(inf - inf) was what made a
// row with a +inf NaN.
// says: row 3, column 1: got 0, expected nan: the logit of column 0 is inf
// says: Not right yet.

__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const bool a_is_larger = a.m > b.m;
  const float m = a_is_larger ? a.m : b.m;
  if (m == kNegativeInfinity) return {m, a.d + b.d};
  const float ratio = expf(-fabsf(a.m - b.m));
  return {m, a_is_larger ? a.d + b.d * ratio : a.d * ratio + b.d};
}
