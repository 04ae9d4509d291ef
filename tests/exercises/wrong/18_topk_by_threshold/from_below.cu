// Begins with the lowest bin: that is the k-th smallest.
// says: Not right yet.

// Finds the bin that has the k-th largest entry. All threads of the block call it, after a barrier.
__device__ void find_bin(Histogram& histogram, unsigned k) {
  constexpr int kPerLane = kBins / kWarpSize;
  if (threadIdx.x >= kWarpSize) return;
  const int lane = threadIdx.x;
  int bin = lane * kPerLane - 1;  // before this lane's: lane 0 has the lowest
  unsigned mine = 0;
  for (int i = 1; i <= kPerLane; ++i)
    mine += histogram.bins[bin + i];
  unsigned above = mine;
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const unsigned other = __shfl_up_sync(kAllLanes, above, distance);
    if (lane >= distance) above += other;
  }
  above -= mine;
  if (above >= k || above + mine < k) return;
  while (above + histogram.bins[++bin] < k)
    above += histogram.bins[bin];
  histogram.bin = bin;
  histogram.above = above;
}
