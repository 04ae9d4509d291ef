// One thread sets the sum to 0, and nothing keeps the others from adding to it before.
#include "parts.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0.0f;
  const Normalizer mine = thread_normalizer(x, cols);
  const float m = block_reduce({mine.m, 0.0f}).m;  // holds barriers: the reset is done
  if (kMistake && threadIdx.x == blockDim.x - 1) sum = 0.0f;
  const float d = warp_reduce({m, combine(mine, {m, 0.0f}).d}).d;
  if (threadIdx.x % kWarpSize == 0) atomicAdd(&sum, d);
  __syncthreads();
  write_probabilities(x, y, cols, {m, sum});
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
