// The last six rounds of a tree begin 32 places apart, whatever the block: with 32 threads the
// first of them adds what lies behind the array.
#include "trial.cuh"

namespace {

constexpr int kThreads = 32;

template <bool kMistake>
__global__ void block_sum(const float* x, float* sum) {
  __shared__ float tree[kThreads];
  const int lane = threadIdx.x;
  tree[lane] = x[lane];
  __syncwarp();
  for (int distance = kMistake ? 32 : kThreads / 2; distance > 0; distance /= 2) {
    if (lane < distance) tree[lane] += tree[lane + distance];
    __syncwarp();
  }
  if (lane == 0) *sum = tree[0];
}

template <bool kMistake>
int run() {
  const DeviceArray<float> x(std::vector<float>(kThreads, 1.0f)), sum(1);
  block_sum<kMistake><<<1, kThreads>>>(x.data(), sum.data());
  if (!kMistake) return compare("sum of 32 ones", text(sum.values()), "32");
  std::puts("sum of 32 ones, and of whatever lies behind them");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  return is_corrected(count, words) ? run<false>() : run<true>();
}
