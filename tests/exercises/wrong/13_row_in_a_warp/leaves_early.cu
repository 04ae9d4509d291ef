// Lanes without a row leave, and the others wait for them in a shuffle.
// says: the first that is wrong is 9 x 1, random:
// says: names lane 8, which has skipped it and returned from the kernel
// says: Not right yet.

// The lanes that own a row.
constexpr int kLanes = 8;

// The largest value of the lanes that own a row.
__device__ float max_of_lanes(float m) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, distance));  // drops a NaN, but d keeps it
  }
  return m;
}

__device__ float sum_of_lanes(float d) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    d += __shfl_xor_sync(kAllLanes, d, distance);
  }
  return d;
}

// A row of at most kPerLane columns for each lane that owns it, which stay in registers.
template <int kPerLane>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t rows,
                        std::int64_t cols) {
  const std::int64_t row = blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  if (row >= rows) return;
  const float* x = logits + row * cols;
  float* y = probabilities + row * cols;

  float e[kPerLane];
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int col = lane + i * kLanes;
    e[i] = col < cols ? x[col] : kNegativeInfinity;
    m = fmaxf(m, e[i]);
  }
  m = max_of_lanes(m);
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    e[i] = expf(e[i] - m);
    d += e[i];
  }
  d = sum_of_lanes(d);
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int col = lane + i * kLanes;
    if (col < cols) y[col] = e[i] / d;
  }
}
