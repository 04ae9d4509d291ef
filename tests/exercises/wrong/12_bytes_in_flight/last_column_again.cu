// What the row does not have is its last column, once more.
// says: the first that is wrong is 9 x 1, random:
// says: loads_per_element 2.0480 2 not reached: x 1.02
// says: Not right yet.

// The columns first, first + blockDim.x, ... of a row. Instead of those that it does not have,
// the last.
__device__ Tile load_tile(const float* x, std::int64_t first, std::int64_t cols) {
  Tile tile;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    const std::int64_t col = first + i * blockDim.x;
    tile.values[i] = x[col < cols ? col : cols - 1];
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
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerTile; ++i) {
    sum += expf(tile.values[i] - origin);
  }
  return {m, a.d * expf(a.m - origin) + sum};
}
