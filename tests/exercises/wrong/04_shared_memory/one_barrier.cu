// The next tile is loaded while some lanes still read this one.
// says: barrier in between,
// says: [shared-race]
// says: Not right yet.

constexpr int kPitch = kTile + 1;
constexpr int kPlaces = kTile * kPitch;
__device__ int place(int row, int col) {
  return row * kPitch + col;
}

__device__ void load_tile(float* tile, const float* x, int rows, std::int64_t cols,
                          std::int64_t first) {
  const int lane = threadIdx.x % kWarpSize;
  if (first + lane >= cols) return;
  for (int row = 0; row < rows; ++row) {
    tile[place(row, lane)] = x[row * cols + first + lane];
  }
}

__device__ Normalizer combine_row(float* tile, const float* x, int rows, std::int64_t cols) {
  const int lane = threadIdx.x % kWarpSize;
  Normalizer mine;
  for (std::int64_t first = 0; first < cols; first += kTile) {
    load_tile(tile, x, rows, cols, first);
    __syncthreads();  // the tile is there
    for (int col = 0; lane < rows && col < kTile && first + col < cols; ++col) {
      mine = combine(mine, {tile[place(lane, col)], 1.0f});
    }
  }
  return mine;
}
