// One exchange, but each lane goes through all pairs, and again for the sum.
// says: block_barriers 64 64 reached
// says: shared_load_wavefronts 3072 512 not reached: x 6
// says: Right, but not all counters are reached.

// What is known of a warp's columns, or of a row's: the maximum m, and d, the sum of exp(x - m).
struct Normalizer {
  float m;
  float d;
};

// The row's pair, for each thread of a block, from those of its warps.
__device__ Normalizer block_combine(Normalizer mine) {
  __shared__ float warp_m[kMaxWarps], warp_d[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  if (lane == 0) {
    warp_m[warp] = mine.m;
    warp_d[warp] = mine.d;
  }
  __syncthreads();
  Normalizer row = {kNegativeInfinity, 0.0f};
  for (int i = 0; i < warps; ++i) {
    row.m = fmaxf(row.m, warp_m[i]);
  }
  for (int i = 0; i < warps; ++i) {
    row.d += warp_d[i] * expf(warp_m[i] - row.m);
  }
  return row;
}

// What a thread holds of its row's logits becomes what it holds of the results. A warp takes its
// exponentials against its own maximum, and rescales them once it knows the row's.
__device__ void softmax_of(float (&held)[kPerThread]) {
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    m = fmaxf(m, held[i]);  // drops a NaN, which its exponential brings back
  }
  m = warp_max(m);
  const float origin = m == kNegativeInfinity ? 0.0f : m;  // -inf - -inf would be NaN
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    held[i] = expf(held[i] - origin);
    d += held[i];
  }
  const Normalizer row = block_combine({m, warp_sum(d)});
  const float rescale = expf(m - row.m);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    held[i] = held[i] * rescale / row.d;
  }
}
