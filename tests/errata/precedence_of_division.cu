// The number of warps in a block, rounded up, without the brackets: / comes before +, and threads
// read the maxima of warps that the block does not have.
#include "trial.cuh"

namespace {

constexpr int kWarpSize = 32;
constexpr int kThreads = 256;

__device__ float warp_maximum(float mine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = fmaxf(mine, __shfl_xor_sync(0xffffffff, mine, distance));
  }
  return mine;
}

template <bool kMistake>
__global__ void row_maximum(const float* x, float* result) {
  __shared__ float maxima[kThreads / kWarpSize];
  constexpr int kWarps =
      kMistake ? kThreads + (kWarpSize - 1) / kWarpSize : (kThreads + (kWarpSize - 1)) / kWarpSize;
  const int tid = threadIdx.x;
  float mine = warp_maximum(x[tid]);
  if (tid % kWarpSize == 0) maxima[tid / kWarpSize] = mine;
  __syncthreads();
  if (tid >= kWarpSize) return;
  mine = tid < kWarps ? maxima[tid] : -INFINITY;
  mine = warp_maximum(mine);
  if (tid == 0) *result = mine;
}

template <bool kMistake>
int run() {
  std::vector<float> logits(kThreads);
  for (int i = 0; i < kThreads; ++i)
    logits[i] = static_cast<float>(-1 - i);
  const DeviceArray<float> x(logits), result(1);
  row_maximum<kMistake><<<1, kThreads>>>(x.data(), result.data());
  return compare("maximum of -1 to -256", text(result.values()), "-1");
}

}  // namespace

int main(int count, char** words) {
  return is_corrected(count, words) ? run<false>() : run<true>();
}
