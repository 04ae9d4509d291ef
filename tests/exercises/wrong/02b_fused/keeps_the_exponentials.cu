// Stores the exponentials on the way.
// says: stores_per_element 2 1 not reached: x 2
// says: Right, but not all counters are reached.

__global__ void softmax(const float* logits, float* probabilities, std::int64_t rows,
                        std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * cols;
  float* y = probabilities + row * cols;

  float m = -INFINITY;
  for (std::int64_t col = 0; col < cols; ++col) {
    m = fmaxf(m, x[col]);  // drops a NaN, which its exponential brings back
  }
  float d = 0.0f;
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] = expf(x[col] - m);
    d += y[col];
  }
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] /= d;
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid((problem.rows + problem.block_size - 1) / problem.block_size);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                      problem.cols);
  worklog::check_launch("softmax", grid, block);
}
