// The first distance is a quarter of the warp, so that half of its lanes are never heard.
#include "parts.cuh"

namespace {

template <bool kMistake>
__device__ Normalizer reduce(Normalizer mine) {
  for (int distance = kMistake ? kWarpSize / 4 : kWarpSize / 2; distance > 0; distance /= 2) {
    const Normalizer other{__shfl_xor_sync(kAllLanes, mine.m, distance),
                           __shfl_xor_sync(kAllLanes, mine.d, distance)};
    mine = combine(mine, other);
  }
  return mine;
}

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  const Normalizer warp = reduce<kMistake>(thread_normalizer(x, cols));
  const bool speaks_for_warp = threadIdx.x % kWarpSize == 0;
  write_probabilities(x, y, cols, block_reduce(speaks_for_warp ? warp : Normalizer{}));
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
