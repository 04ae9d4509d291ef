// A program with sources in C, two of which call the runtime API.
#include <cstdio>
#include <cuda_runtime.h>

extern "C" int sum(const int* values, int count);
extern "C" int sum_on_device(const int* device_values, int count);
extern "C" int last_error();

__global__ void count_up(int* values) {
  values[threadIdx.x] = threadIdx.x;
}

int main() {
  int* values;
  cudaMallocManaged(&values, 32 * sizeof(int));
  count_up<<<1, 32>>>(values);
  cudaDeviceSynchronize();
  std::printf("sum %d\n", sum(values, 32));
  std::printf("sum on the device %d\n", sum_on_device(values, 32));
  std::printf("error %d\n", last_error());
  cudaFree(values);
  return 0;
}
