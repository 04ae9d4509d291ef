// Rescales only where there is a new maximum. The lanes of a warp part there, and it takes fewer
// exponentials than the formula.

__device__ Normalizer combine(Normalizer a, Normalizer b) {
  if (b.m > a.m) {
    return {b.m, a.d * expf(a.m - b.m) + b.d * expf(b.m - b.m)};
  }
  if (a.m == kNegativeInfinity) return {b.m, a.d + b.d};
  return {a.m, a.d + b.d * expf(b.m - a.m)};
}
