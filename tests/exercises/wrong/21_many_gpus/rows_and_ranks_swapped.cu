// A row's pairs do not lie side by side: each rank has brought an array of its own.
// says: Not right yet.

__device__ Normalizer ranks_combine(const Normalizer* told, std::int64_t rows, std::int64_t row) {
  const int lane = threadIdx.x % kWarpSize;
  return warp_reduce(lane < kRanks ? told[row * kRanks + lane] : Normalizer{});
}
