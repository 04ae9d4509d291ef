// CUDA refuses a block of 2048 threads. Nothing runs, and nobody asks.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  write_probabilities(x, y, cols, block_reduce(thread_normalizer(x, cols)));
}

template <bool kMistake>
void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(kMistake ? 2048 : problem.block_size);
  softmax<kMistake>
      <<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols);
  cudaGetLastError();
}

}  // namespace

WRONG_KERNEL(launch, {.loads = {2}, .stores = {1}});
