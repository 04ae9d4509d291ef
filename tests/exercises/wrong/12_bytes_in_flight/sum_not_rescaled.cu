// Takes the maximum of all tiles, but adds to a sum that is of another one.
// says: the first that is wrong is 64 x 3000, random:
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

// What is known of a row, `a`, with a tile added to it.
__device__ Normalizer combine_tile(Normalizer a, const Tile& tile) {
  float m = a.m;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    m = fmaxf(m, tile.values[i]);  // drops a NaN, which its exponential brings back
  }
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    sum += expf(tile.values[i] - origin);
  }
  return {m, a.d + sum};
}
