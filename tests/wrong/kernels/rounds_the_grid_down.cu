// rows / rows of a block, rounded down: the last rows are never written.
#include "parts.cuh"

namespace {

__device__ void softmax_of_row(const float* x, float* y, std::int64_t cols) {
  Normalizer row;
  for (std::int64_t col = 0; col < cols; ++col)
    row = combine(row, {x[col], 1.0f});
  for (std::int64_t col = 0; col < cols; ++col)
    y[col] = expf(x[col] - row.m) / row.d;
}

__global__ void softmax(const float* logits, float* probabilities, std::int64_t rows,
                        std::int64_t cols) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < rows) softmax_of_row(logits + row * cols, probabilities + row * cols, cols);
}

template <bool kMistake>
void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 block(4);
  const dim3 grid((problem.rows + (kMistake ? 0 : block.x - 1)) / block.x);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                      problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WRONG_KERNEL(launch, {.loads = {2},
                      .stores = {1},
                      .block_sizes = 32,
                      .summation = worklog::Summation::kSerial});
