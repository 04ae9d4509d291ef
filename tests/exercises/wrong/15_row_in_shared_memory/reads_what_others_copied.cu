// A thread copies columns side by side, and reads what others copied without a barrier.
// says: threads 0 and 1 have no __syncwarp() or barrier in between, at byte 4 of the dynamic
// says: global_load_requests 6144 6016 not reached: x 1.02
// says: Not right yet.

// Bytes of dynamic shared memory for what a block of so many threads cannot hold of a row.
int waiting_bytes(int cols, int block_size) {
  const int columns = cols - kPerThread * block_size;
  return columns > 0 ? columns * static_cast<int>(sizeof(float)) : 0;
}

// A thread waits for its own copies.
__global__ void softmax(const float* logits, float* probabilities, int cols) {
  extern __shared__ float waiting[];
  const float* x = logits + static_cast<std::int64_t>(blockIdx.x) * cols;
  float* y = probabilities + static_cast<std::int64_t>(blockIdx.x) * cols;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int held = kPerThread * threads;

  const int share = (cols - held + threads - 1) / threads;
  const int first = held + thread * share;
  for (int col = first; col < first + share && col < cols; ++col) {
    __pipeline_memcpy_async(&waiting[col - held], &x[col], sizeof(float));
  }
  __pipeline_commit();
  float e[kPerThread];
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    e[i] = col < cols ? x[col] : kNegativeInfinity;
    m = fmaxf(m, e[i]);  // drops a NaN, which its exponential brings back
  }
  __pipeline_wait_prior(0);
  for (int col = held + thread; col < cols; col += threads) {
    m = fmaxf(m, waiting[col - held]);
  }
  m = block_max(m);

  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    e[i] = expf(e[i] - m);
    d += e[i];
  }
  for (int col = held + thread; col < cols; col += threads) {
    const float exponential = expf(waiting[col - held] - m);
    waiting[col - held] = exponential;
    d += exponential;
  }
  d = block_sum(d);

#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    if (col < cols) y[col] = e[i] / d;
  }
  for (int col = held + thread; col < cols; col += threads) {
    y[col] = waiting[col - held] / d;
  }
}
