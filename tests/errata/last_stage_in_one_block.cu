// Block sums, and a last launch of one block that adds them, a thread for each. Where there are
// more sums than threads, the rest is left out.
#include <utility>

#include "trial.cuh"

namespace {

constexpr int kThreads = 64;

__global__ void block_sums(const float* x, int n, float* sums) {
  __shared__ float tree[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  tree[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int distance = kThreads / 2; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) tree[threadIdx.x] += tree[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}

int blocks_for(int n) {
  return (n + kThreads - 1) / kThreads;
}

template <bool kMistake>
int run() {
  constexpr int kElements = kThreads * kThreads * kThreads;
  const DeviceArray<float> x(std::vector<float>(kElements, 1.0f));
  const DeviceArray<float> one(blocks_for(kElements)), other(blocks_for(kElements));
  float* in = one.data();
  float* out = other.data();
  block_sums<<<blocks_for(kElements), kThreads>>>(x.data(), kElements, in);
  int launches = 1;
  for (int left = blocks_for(kElements); left > 1; ++launches) {
    const int blocks = kMistake ? 1 : blocks_for(left);
    block_sums<<<blocks, kThreads>>>(in, left, out);
    std::swap(in, out);
    left = blocks;
  }
  float sum = 0;
  check(cudaMemcpy(&sum, in, sizeof(sum), cudaMemcpyDeviceToHost));
  const std::string launched = " ones in " + std::to_string(launches) + " launches";
  return compare("sum of " + text(kElements) + launched, text(sum), text(kElements));
}

}  // namespace

int main(int count, char** words) {
  return is_corrected(count, words) ? run<false>() : run<true>();
}
