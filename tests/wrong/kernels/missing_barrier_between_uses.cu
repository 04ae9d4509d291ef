// One shared array serves the maximum and then the sum. A fast warp writes its sum while a slow one
// still reads the maximum.
#include "parts.cuh"

namespace {

template <typename Combine>
__device__ float warp_reduce(float mine, Combine combine_two) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2)
    mine = combine_two(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  return mine;
}

template <bool kMistake>
__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  __shared__ float partial[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;
  const auto larger = [](float a, float b) { return a > b || isnan(a) ? a : b; };
  const auto sum = [](float a, float b) { return a + b; };

  float m = kNegativeInfinity;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x)
    m = larger(m, x[col]);
  m = warp_reduce(m, larger);
  if (lane == 0) partial[warp] = m;
  __syncthreads();
  m = warp_reduce(lane < warps ? partial[lane] : kNegativeInfinity, larger);
  if (!kMistake) __syncthreads();

  float d = 0.0f;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x)
    d += expf(x[col] - m);
  d = warp_reduce(d, sum);
  if (lane == 0) partial[warp] = d;
  __syncthreads();
  d = warp_reduce(lane < warps ? partial[lane] : 0.0f, sum);
  write_probabilities(x, y, cols, {m, d});
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

WRONG_KERNEL(launch, {.loads = {3}, .stores = {1}});
