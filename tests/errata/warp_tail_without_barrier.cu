// The last six rounds of a tree, by the lanes of one warp, through volatile shared memory and with
// no barrier: since Volta the lanes of a warp need not move in step.
#include "trial.cuh"

namespace {

constexpr int kThreads = 64;

template <bool kMistake>
__global__ void block_sum(const float* x, float* sum) {
  __shared__ float values[kThreads];
  volatile float* const tree = values;
  const int lane = threadIdx.x;
  tree[lane] = x[lane];
  __syncthreads();
  if (lane >= 32) return;
  for (int distance = 32; distance > 0; distance /= 2) {
    const float other = tree[lane + distance];
    if (!kMistake) __syncwarp();
    tree[lane] = tree[lane] + other;
    if (!kMistake) __syncwarp();
  }
  if (lane == 0) *sum = tree[0];
}

template <bool kMistake>
int run() {
  const DeviceArray<float> x(std::vector<float>(kThreads, 1.0f)), sum(1);
  block_sum<kMistake><<<1, kThreads>>>(x.data(), sum.data());
  return compare("sum of 64 ones", text(sum.values()), "64");
}

}  // namespace

int main(int count, char** words) {
  return is_corrected(count, words) ? run<false>() : run<true>();
}
