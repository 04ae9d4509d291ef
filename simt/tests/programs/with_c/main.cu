// A program with a source in C.
#include <cstdio>
#include <cuda_runtime.h>

extern "C" int sum(const int* values, int count);

__global__ void count_up(int* values) {
  values[threadIdx.x] = threadIdx.x;
}

int main() {
  int* values;
  cudaMallocManaged(&values, 32 * sizeof(int));
  count_up<<<1, 32>>>(values);
  cudaDeviceSynchronize();
  std::printf("sum %d\n", sum(values, 32));
  cudaFree(values);
  return 0;
}
