// Where the bins of one lane end with the k-th, the next lane takes it, too.
// says: Not right yet.

// Finds the bin that has the k-th largest entry. All threads of the block call it, after a barrier.
__device__ void find_bin(Histogram& histogram, unsigned k) {
  constexpr int kPerLane = kBins / kWarpSize;
  if (threadIdx.x >= kWarpSize) return;
  const int lane = threadIdx.x;
  int bin = kBins - lane * kPerLane;  // behind this lane's: lane 0 has the highest
  unsigned mine = 0;
  for (int i = 1; i <= kPerLane; ++i)
    mine += histogram.bins[bin - i];
  unsigned above = mine;
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const unsigned other = __shfl_up_sync(kAllLanes, above, distance);
    if (lane >= distance) above += other;
  }
  above -= mine;
  if (above > k || above + mine < k) return;
  while (above + histogram.bins[--bin] < k)
    above += histogram.bins[bin];
  histogram.bin = bin;
  histogram.above = above;
}
