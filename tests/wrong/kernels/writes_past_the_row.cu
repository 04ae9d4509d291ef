// The width is rounded up to a multiple of 4: the last stores fall into the next row, or past the
// array.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  const Normalizer row = block_reduce(thread_normalizer(x, cols));
  const std::int64_t end = kMistake ? (cols + 3) / 4 * 4 : cols;
  for (std::int64_t col = threadIdx.x; col < end; col += blockDim.x) {
    y[col] = col < cols ? expf(x[col] - row.m) / row.d : 0.0f;
  }
}

template <bool kMistake>
void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax<kMistake>
      <<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WRONG_KERNEL(launch, {.loads = {2}, .stores = {1}});
