// Every lane looks for itself, from the highest bin on: as many loads as one thread makes.
// says: Right, but not all counters are reached.

__device__ void find_bin(Histogram& histogram, unsigned k) {
  if (threadIdx.x >= kWarpSize) return;
  int bin = kBins - 1;
  unsigned above = 0;
  while (above + histogram.bins[bin] < k) {
    above += histogram.bins[bin];
    --bin;
  }
  if (threadIdx.x == 0) {
    histogram.bin = bin;
    histogram.above = above;
  }
}
