// A tile that is masked throughout subtracts -inf from -inf.
// says: the first that is wrong is 18 x 7, masked:
// says: Not right yet.

// The columns first, first + blockDim.x, ... of a row. Those that it does not have read as -inf,
// which adds nothing to a sum.
__device__ Tile load_tile(const float* x, std::int64_t first, std::int64_t cols) {
  Tile tile;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    const std::int64_t col = first + i * blockDim.x;
    tile.values[i] = col < cols ? x[col] : kNegativeInfinity;
  }
  return tile;
}

// What is known of a row, `a`, with a tile added to it. One rescale is for all values of the tile.
__device__ Normalizer combine_tile(Normalizer a, const Tile& tile) {
  float m = a.m;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    m = fmaxf(m, tile.values[i]);  // drops a NaN, which its exponential brings back
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    sum += expf(tile.values[i] - m);
  }
  return {m, a.d * expf(a.m - m) + sum};
}
