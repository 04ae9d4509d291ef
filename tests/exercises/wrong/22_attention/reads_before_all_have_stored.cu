// Reads what the other warps know before they have stored it.
// says: Not right yet.
// says: [shared-race]

// What the block knows of a query when all keys were taken in, each by one of its warps.
__device__ Partial take_all(float2 query, const float* keys, const float* values, int cols) {
  __shared__ Partial of_warps[kMaxWarps][kWarpSize];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  Partial mine;
  for (int col = warp; col < cols; col += warps) {
    const float score = product(query, load(keys + col * kHeadDim));
    take(mine, score, load(values + col * kHeadDim));
  }
  of_warps[warp][lane] = mine;
  Partial all;
  for (int w = 0; w < warps; ++w) {
    all.m = fmaxf(all.m, of_warps[w][lane].m);
  }
  for (int w = 0; w < warps; ++w) {
    const Partial part = of_warps[w][lane];
    const float ratio = expf(part.m - all.m);  // 0 for a warp without a key
    all.d += part.d * ratio;
    all.o.x += part.o.x * ratio;
    all.o.y += part.o.y * ratio;
  }
  return all;
}
