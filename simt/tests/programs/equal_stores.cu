// Whether a value occurs in an array: every thread that sees it raises the same flag, first its
// block's and then that of all. No atomic operation is needed for that: it does not matter which
// thread comes last.

#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

__global__ void find(const int* x, int n, int value, bool* found) {
  __shared__ bool found_here;
  if (threadIdx.x == 0) found_here = false;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] == value) found_here = true;
  __syncthreads();
#ifdef ONE_BLOCK_SAYS_NO
  if (threadIdx.x == 0) *found = found_here;
#else
  if (threadIdx.x == 0 && found_here) *found = true;
#endif
}

int main() {
  constexpr int kCount = 1000;
  std::vector<int> x(kCount);
  for (int i = 0; i < kCount; ++i)
    x[i] = i % 10;
  x[0] = 77;
  int* numbers;
  bool* found;
  cudaMalloc(&numbers, kCount * sizeof(int));
  cudaMalloc(&found, sizeof(bool));
  cudaMemcpy(numbers, x.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  for (const int value : {7, 77, 8}) {
    cudaMemset(found, 0, sizeof(bool));
    find<<<4, 256>>>(numbers, kCount, value, found);
    bool answer = false;
    cudaMemcpy(&answer, found, sizeof(bool), cudaMemcpyDeviceToHost);
    std::printf("%d %s\n", value, answer ? "occurs" : "does not occur");
  }
  cudaFree(numbers);
  cudaFree(found);
}
