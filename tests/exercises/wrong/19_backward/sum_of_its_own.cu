// Each thread subtracts its own sum, and nobody waits for the others.
// says: the first that is wrong is 9 x 2, random:
// says: block_barriers 0 64 too early to say
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
    held_y[i] = col < cols ? y[col] : 0.0f;
    held_dy[i] = col < cols ? dy[col] : 0.0f;
    s += held_y[i] * held_dy[i];
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    if (col < cols) dx[col] = held_y[i] * (held_dy[i] - s);
  }
}
