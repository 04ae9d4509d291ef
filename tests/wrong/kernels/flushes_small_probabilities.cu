// Probabilities below 1e-6 become 0. An absolute tolerance of 1e-5, as many tests have, cannot see
// it.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  const Normalizer row = block_reduce(thread_normalizer(x, cols));
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    const float probability = expf(x[col] - row.m) / row.d;
    y[col] = kMistake && probability < 1e-6f ? 0.0f : probability;
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
