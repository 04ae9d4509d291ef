// Operator precedence: / before +, so that threads read the slots of warps that the block does not
// have.
#include "parts.cuh"

namespace {

template <bool kMistake>
__device__ Normalizer reduce(Normalizer mine) {
  __shared__ float warp_m[kMaxWarps], warp_d[kMaxWarps];
  const int threads = blockDim.x;
  const int tid = threadIdx.x;
  mine = warp_reduce(mine);
  if (tid % kWarpSize == 0) {
    warp_m[tid / kWarpSize] = mine.m;
    warp_d[tid / kWarpSize] = mine.d;
  }
  __syncthreads();
  const int warps =
      kMistake ? threads + (kWarpSize - 1) / kWarpSize : (threads + (kWarpSize - 1)) / kWarpSize;
  mine = tid < warps ? Normalizer{warp_m[tid], warp_d[tid]} : Normalizer{};
  __syncthreads();
  mine = warp_reduce(mine);
  if (tid == 0) {
    warp_m[0] = mine.m;
    warp_d[0] = mine.d;
  }
  __syncthreads();
  return {warp_m[0], warp_d[0]};
}

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  write_probabilities(x, y, cols, reduce<kMistake>(thread_normalizer(x, cols)));
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
