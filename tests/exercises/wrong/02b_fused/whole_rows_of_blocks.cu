// Forgets the last block, which is not full.
// says: the first that is wrong is 9 x 1, random:
// says: [refused-launch]
// says: Not right yet.

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
    d += expf(x[col] - m);
  }
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] = expf(x[col] - m) / d;
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows / problem.block_size);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                      problem.cols);
  worklog::check_launch("softmax", grid, block);
}
