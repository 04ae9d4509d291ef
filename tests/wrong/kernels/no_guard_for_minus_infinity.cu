// Combining two threads without columns takes -inf - -inf, which is NaN, and every thread that has
// columns gets it. A test that says `error > tolerance` lets NaN pass.
#include "parts.cuh"

namespace {

template <bool kMistake>
__device__ Normalizer combine_threads(Normalizer a, Normalizer b) {
  if (!kMistake) return combine(a, b);
  const float m = a.m > b.m ? a.m : b.m;
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  __shared__ Normalizer tree[1024];
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  tree[threadIdx.x] = thread_normalizer(x, cols);
  __syncthreads();
  for (unsigned distance = 512; distance > 0; distance /= 2) {
    if (threadIdx.x < distance && threadIdx.x + distance < blockDim.x) {
      tree[threadIdx.x] =
          combine_threads<kMistake>(tree[threadIdx.x], tree[threadIdx.x + distance]);
    }
    __syncthreads();
  }
  write_probabilities(x, y, cols, tree[0]);
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
