// Holds the products, and divides to have the gradients again: 0 / 0 where a column is masked.
// says: the first that is wrong is 18 x 7, largest:
// says: loads_per_element 2 2 too early to say
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
  float products[kPerThread];
  float s = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    held_y[i] = col < cols ? y[col] : 0.0f;
    products[i] = col < cols ? held_y[i] * dy[col] : 0.0f;
    s += products[i];
  }
  s = block_sum(s);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int col = thread + i * threads;
    if (col < cols) dx[col] = held_y[i] * (products[i] / held_y[i] - s);
  }
}
