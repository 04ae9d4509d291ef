// Exponentials go to the output first and the logits are read again after: right, unless the output
// is the input.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  const Normalizer row = block_reduce(thread_normalizer(x, cols));
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    y[col] = expf(x[col] - row.m);
    y[col] = kMistake ? expf(x[col] - row.m) / row.d : y[col] / row.d;
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

WRONG_KERNEL(launch, {.loads = {2}, .stores = {2}});
