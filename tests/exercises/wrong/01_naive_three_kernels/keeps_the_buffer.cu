// Adds up the exponentials at once, but stores them all the same.
// says: loads_per_element 3.0020 3.0030 reached
// says: stores_per_element 2.0020 1.0020 not reached: x 2
// says: Right, but not all counters are reached.

// Leaves the sum where the maximum was.
__global__ void exponentials(const float* logits, float* maxima, float* exps, std::int64_t rows,
                             std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;

  const float m = maxima[row];
  float d = 0.0f;
  for (std::int64_t col = 0; col < cols; ++col) {
    const float e = expf(logits[row * cols + col] - m);
    exps[row * cols + col] = e;
    d += e;
  }
  maxima[row] = d;
}

__global__ void divide(const float* exps, const float* sums, float* probabilities,
                       std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;

  const float d = sums[row];
  for (std::int64_t col = 0; col < cols; ++col) {
    probabilities[row * cols + col] = exps[row * cols + col] / d;
  }
}

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const std::int64_t rows = problem.rows;
  const std::int64_t cols = problem.cols;
  float* maxima = problem.scratch.take<float>(rows);
  float* exps = problem.scratch.take<float>(rows * cols);
  const dim3 grid((rows + problem.block_size - 1) / problem.block_size);
  const dim3 block(problem.block_size);
  row_maxima<<<grid, block, 0, stream>>>(problem.logits, maxima, rows, cols);
  worklog::check_launch("row_maxima", grid, block);
  exponentials<<<grid, block, 0, stream>>>(problem.logits, maxima, exps, rows, cols);
  worklog::check_launch("exponentials", grid, block);
  divide<<<grid, block, 0, stream>>>(exps, maxima, problem.probabilities, rows, cols);
  worklog::check_launch("divide", grid, block);
}
