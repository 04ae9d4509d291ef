// Warp 0 waits for a flag by plain loads. nvcc reads it once, before the loop, and a compiler may not delete the loop: the kernel
// never ends. C++ would let it, from C++11 on.
#include <cstdio>

__global__ void kernel(int* flag, int* data, int* result) {
  if (threadIdx.x < 32) {
    while (*flag == 0) {
    }
    result[threadIdx.x] = *data;
  } else if (threadIdx.x == 32) {
    *data = 42;
    *flag = 1;
  }
}

int main() {
  int* words;
  cudaMalloc(&words, 34 * sizeof(int));
  cudaMemset(words, 0, 34 * sizeof(int));
  kernel<<<1, 64>>>(words, words + 1, words + 2);
  const cudaError_t ending = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(ending));
  int result = 0;
  if (cudaMemcpy(&result, words + 2, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess)
    std::printf("the result is %d\n", result);
  cudaFree(words);
}
