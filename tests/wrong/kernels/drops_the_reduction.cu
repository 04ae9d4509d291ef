// The reduction is called and its result is not taken: every thread goes on with its own columns'
// normalizer.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  Normalizer row = thread_normalizer(x, cols);
  const Normalizer reduced = block_reduce(row);
  if (!kMistake) row = reduced;
  write_probabilities(x, y, cols, row);
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
