// Sums an array in shared memory, block by block. With -D RACE the barrier inside the tree is
// missing: half of the threads may read a partial sum before it has been written.

#include <cstdio>
#include <numeric>
#include <vector>

constexpr int kThreads = 256;

__global__ void reduce(const int* in, int* sums) {
  __shared__ int partial[kThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x * 2 + t;
  partial[t] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) {
      partial[t] += partial[t + s];
    }
#ifndef RACE
    __syncthreads();
#endif
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

int main() {
  const int blocks = 16;
  const int n = blocks * kThreads * 2;
  std::vector<int> in(n);
  std::iota(in.begin(), in.end(), 1);
  int *d_in = nullptr, *d_sums = nullptr;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_sums, blocks * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  reduce<<<blocks, kThreads>>>(d_in, d_sums);
  std::vector<int> sums(blocks);
  cudaMemcpy(sums.data(), d_sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  const long long sum = std::accumulate(sums.begin(), sums.end(), 0LL);
  const long long expected = static_cast<long long>(n) * (n + 1) / 2;
  std::printf("sum %lld, expected %lld\n", sum, expected);
  cudaFree(d_in);
  cudaFree(d_sums);
#ifdef RACE
  return 0;  // right or wrong, as the threads happened to run
#else
  return sum == expected ? 0 : 1;
#endif
}
