// Shared memory that is declared in a header, used here and there.
#include <cstdio>
#include <cuda_runtime.h>

#include "reduce.cuh"

__global__ void sum(const float* x, float* y) {
  const float all = reduce(x[threadIdx.x]);
  if (threadIdx.x == 0) blocks_sum_is_odd = static_cast<int>(partial[0]) % 2;
  __syncthreads();
  if (threadIdx.x == 1) *y = all + blocks_sum_is_odd;
}

// Its own array of that name.
__global__ void scale(const float* x, float* partial) { partial[threadIdx.x] = 2 * x[threadIdx.x]; }

int main() {
  float* x;
  cudaMallocManaged(&x, 65 * sizeof(float));
  for (int i = 0; i < 64; ++i) x[i] = i == 0 ? 2 : 1;
  sum<<<1, 64, 64 * sizeof(float)>>>(x, x + 64);
  cudaDeviceSynchronize();
  const bool summed = x[64] == 66;
  scale<<<1, 64>>>(x, x);
  cudaDeviceSynchronize();
  std::printf("%s\n", summed && x[63] == 2 ? "passed" : "failed");
  cudaFree(x);
  return 0;
}
