// blockDim where blockIdx was meant: all blocks work on one row, and mostly on one that is not
// there.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const std::int64_t row = kMistake ? blockDim.x : blockIdx.x;
  const float* x = logits + row * cols;
  float* y = probabilities + row * cols;
  write_probabilities(x, y, cols, block_reduce(thread_normalizer(x, cols)));
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
