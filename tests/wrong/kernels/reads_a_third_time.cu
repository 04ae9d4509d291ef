// Right results from one pass more than the step says: only the counters tell.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  const Normalizer row = block_reduce(thread_normalizer(x, cols));
  if (kMistake) {
    float largest = kNegativeInfinity;
    for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x)
      largest = fmaxf(largest, x[col]);
    if (largest > row.m) y[0] = largest;  // never so: keeps the compiler from dropping the pass
  }
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
