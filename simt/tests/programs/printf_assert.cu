// printf() and assert() in kernels.

#include <assert.h>
#include <stdio.h>

__global__ void hello(int limit) {
  assert(blockIdx.x < limit);
  if (threadIdx.x % 16 == 0)
    printf("Hello from block %d, thread %d of %s\n", blockIdx.x, threadIdx.x, "a kernel");
}

int main() {
  hello<<<2, 32>>>(2);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
