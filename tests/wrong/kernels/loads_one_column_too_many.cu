// The next column is fetched ahead, also behind the last one: a read past the array in the last
// row, and more accesses than stated in all of them.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  Normalizer mine;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = combine(mine, {x[col], 1.0f});
    if (kMistake && col + 1 == cols) mine = combine(mine, {x[col + 1] - x[col + 1], 0.0f});
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
