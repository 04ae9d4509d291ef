// Loads all places of a thread, whether the row has such columns or not.
// says: [global-out-of-bounds]
// says: Not right yet.

// dx = y (dy - s), where s is the sum of y dy over the row. A thread holds its columns of both
// arrays until the sum is known.
__global__ void softmax_backward(const float* probabilities, const float* gradients,
                                 float* logit_gradients, int cols) {
  const std::int64_t first_of_row = static_cast<std::int64_t>(blockIdx.x) * cols;
  const float* y = probabilities + first_of_row;
  const float* dy = gradients + first_of_row;
  float* dx = logit_gradients + first_of_row;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);

  float held_y[kPerThread];
  float held_dy[kPerThread];
  float s = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    held_y[i] = y[col];
    held_dy[i] = dy[col];
    s += held_y[i] * held_dy[i];
  }
  s = block_sum(s);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    if (col < cols) dx[col] = held_y[i] * (held_dy[i] - s);
  }
}
