// A barrier, although every thread reads what it wrote itself.
// says: loads_per_element 1.7500 1.7500 reached
// says: block_barriers 5 4 not reached: x 1.25
// says: Right, but not all counters are reached.

__global__ void softmax(const float* x, float* y, std::int64_t cols) {
  __shared__ float kept[kKept];

  float m = Max::kIdentity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    const float logit = x[col];
    if (col < kKept) kept[col] = logit;
    m = fmaxf(m, logit);
  }
  __syncthreads();
  m = block_reduce(m, Max());
  float d = Sum::kIdentity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    d += expf((col < kKept ? kept[col] : x[col]) - m);
  }
  d = block_reduce(d, Sum());
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = expf((col < kKept ? kept[col] : x[col]) - m) / d;
  }
}
