// Takes the mean of the warps' outputs, whatever share of the weights each has.
// says: Not right yet.
// says: the first that is wrong is 9 x 1, random:

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
  __syncthreads();
  Partial all{0.0f, 0.0f, {0.0f, 0.0f}};
  for (int w = 0; w < warps; ++w) {
    const Partial part = of_warps[w][lane];
    all.d += 1.0f;
    all.o.x += part.o.x / part.d;
    all.o.y += part.o.y / part.d;
  }
  return all;
}
