// A program in C++20, as nvcc takes it with -std=c++20.
#include <concepts>
#include <cstdio>
#include <cuda_runtime.h>

template <std::floating_point T>
__global__ void scale(T* y, T factor) {
  y[threadIdx.x] = factor * threadIdx.x;
}

int main() {
  double* y;
  cudaMallocManaged(&y, 32 * sizeof(double));
  scale<<<1, 32>>>(y, 3.0);
  cudaDeviceSynchronize();
  std::printf("%s\n", y[31] == 93 ? "passed" : "failed");
  cudaFree(y);
  return 0;
}
