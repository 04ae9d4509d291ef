// fmaxf drops a NaN, and then the guard for m = -inf returns the identity: a thread that meets a
// NaN first forgets it.
#include "parts.cuh"

namespace {

template <bool kMistake>
__device__ Normalizer combine_columns(Normalizer a, Normalizer b) {
  if (!kMistake) return combine(a, b);
  const float m = fmaxf(a.m, b.m);
  if (m == kNegativeInfinity) return {};
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  Normalizer mine;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = combine_columns<kMistake>(mine, {x[col], 1.0f});
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
