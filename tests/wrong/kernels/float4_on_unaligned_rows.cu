// 16-byte loads from every row. Where the width is not a multiple of 4, most rows do not start at a
// multiple of 16 bytes.
#include "parts.cuh"

namespace {

__device__ bool is_aligned(const float* x) {
  return reinterpret_cast<std::uintptr_t>(x) % sizeof(float4) == 0;
}

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  const std::int64_t vectors = kMistake || is_aligned(x) ? cols / 4 : 0;
  Normalizer mine;
  for (std::int64_t i = threadIdx.x; i < vectors; i += blockDim.x) {
    const float4 four = reinterpret_cast<const float4*>(x)[i];
    for (const float logit : {four.x, four.y, four.z, four.w})
      mine = combine(mine, {logit, 1.0f});
  }
  for (std::int64_t col = 4 * vectors + threadIdx.x; col < cols; col += blockDim.x) {
    mine = combine(mine, {x[col], 1.0f});
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
