// 2^(x log2 e - m log2 e) rounds both products, which costs up to |x| ulp of the result where exp(x
// - m) costs |x - m|.
#include "parts.cuh"

namespace {

constexpr float kLog2E = 1.44269504f;

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  const Normalizer row = block_reduce(thread_normalizer(x, cols));
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    const float e = kMistake ? exp2f(__fmul_rn(x[col], kLog2E) - __fmul_rn(row.m, kLog2E))
                             : expf(x[col] - row.m);
    y[col] = e / row.d;
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
