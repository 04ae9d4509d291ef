// The maximum has grown, and the sum so far still refers to the old one.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  Normalizer mine;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    const Normalizer next = combine(mine, {x[col], 1.0f});
    mine = kMistake && x[col] > mine.m ? Normalizer{x[col], mine.d + 1.0f} : next;
  }
  write_probabilities(x, y, cols, block_reduce(mine));
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
