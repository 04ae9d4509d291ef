// The registration asks for one float a row, the launch takes one a column.
#include "parts.cuh"

namespace {

__global__ void exponentials(const float* logits, float* e, float* d, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  const Normalizer row = block_reduce(thread_normalizer(x, cols));
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x)
    e[blockIdx.x * cols + col] = expf(x[col] - row.m);
  if (threadIdx.x == 0) d[blockIdx.x] = row.d;
}

__global__ void divide(const float* e, const float* d, float* probabilities, std::int64_t cols) {
  const std::int64_t row = blockIdx.x * cols;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x)
    probabilities[row + col] = e[row + col] / d[blockIdx.x];
}

template <bool kMistake>
void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  const std::int64_t elements = problem.rows * problem.cols;
  float* e = problem.scratch.take<float>(kMistake ? 2 * elements + 64 : elements);
  float* d = problem.scratch.take<float>(problem.rows);
  exponentials<<<grid, block, 0, stream>>>(problem.logits, e, d, problem.cols);
  worklog::check_launch("exponentials", grid, block);
  divide<<<grid, block, 0, stream>>>(e, d, problem.probabilities, problem.cols);
  worklog::check_launch("divide", grid, block);
}

}  // namespace

WRONG_KERNEL(launch, {.loads = {4},
                      .stores = {2},
                      .scratch_bytes = [](std::int64_t rows, std::int64_t cols, std::size_t bytes) {
                        return worklog::Scratch::bytes_for(rows * cols, bytes) +
                               worklog::Scratch::bytes_for(rows, bytes);
                      }});
