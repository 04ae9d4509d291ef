// Loads the label's logit when a gradient may be in its place.
// says: the first that is wrong is 9 x 333, random, in place:
// says: Not right yet.

// The loss is log(sum(exp)) - x of the label; its gradient is the softmax, less 1 in that column.
// A thread holds its columns until m and d are known, and knows the label's when it stores them.
__global__ void cross_entropy(const float* logits, const std::int64_t* labels, float* losses,
                              float* log_sum_exps, float* gradients, int cols) {
  const std::int64_t row = blockIdx.x;
  const float* x = logits + row * cols;
  float* dx = gradients + row * cols;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  __shared__ int label;  // which all know behind the barrier of block_max
  if (thread == 0) label = static_cast<int>(labels[row]);

  float held[kPerThread];
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    held[i] = col < cols ? x[col] : kNegativeInfinity;
    m = fmaxf(m, held[i]);
  }
  m = block_max(m);
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    held[i] = expf(held[i] - m);
    d += held[i];
  }
  d = block_sum(d);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    if (col < cols) dx[col] = held[i] / d - (col == label ? 1.0f : 0.0f);
  }
  if (thread == 0) {
    log_sum_exps[row] = m + logf(d);
    losses[row] = logf(d) - (x[label] - m);
  }
}
