// The larger maximum needs no exponential: its factor is 1. What m - m adds is 0, or NaN for +inf.

__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const bool a_is_larger = a.m > b.m;
  const float m = a_is_larger ? a.m : b.m;
  if (m == kNegativeInfinity) return {m, a.d + b.d};
  const float ratio = expf(-fabsf(a.m - b.m));
  return {m, (a_is_larger ? a.d + b.d * ratio : a.d * ratio + b.d) + (m - m)};
}
