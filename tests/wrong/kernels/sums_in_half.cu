// The sum is kept in the storage type: from 2048 on, adding 1 to a half changes nothing.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const __half* logits, __half* probabilities, std::int64_t rows,
                        std::int64_t cols) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __half* x = logits + row * cols;
  __half* y = probabilities + row * cols;
  Normalizer found;
  for (std::int64_t col = 0; col < cols; ++col) {
    found = combine(found, {static_cast<float>(x[col]), 1.0f});
    if (kMistake) found.d = static_cast<float>(static_cast<__half>(found.d));
  }
  for (std::int64_t col = 0; col < cols; ++col)
    y[col] = static_cast<__half>(expf(static_cast<float>(x[col]) - found.m) / found.d);
}

template <bool kMistake>
void launch(const worklog::Softmax<__half>& problem, cudaStream_t stream) {
  const dim3 block(problem.block_size);
  const dim3 grid((problem.rows + block.x - 1) / block.x);
  softmax<kMistake><<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                                problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WRONG_KERNEL(launch, {.loads = {2},
                      .stores = {1},
                      .block_sizes = 32,
                      .summation = worklog::Summation::kSerial});
