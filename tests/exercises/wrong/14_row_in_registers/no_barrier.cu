// The one barrier that is left is gone, too.
// says: barrier in between,
// says: [shared-race]
// says: block_barriers 0 64 too early to say
// says: Not right yet.

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
  const float m = lane < warps ? warp_m[lane] : kNegativeInfinity;
  const float row_m = warp_max(m);
  const float d = lane < warps ? warp_d[lane] * expf(m - row_m) : 0.0f;
  return {row_m, warp_sum(d)};
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
