// C++17, which is nvcc's default: names that later ones took are the program's own.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

__host__ __device__ inline float lerp(float a, float b, float t) {
  return a + t * (b - a);
}

struct Midpoint {
  float requires;
};

__global__ void blend(float* y, Midpoint concept) {
  y[threadIdx.x] = lerp(0.0f, threadIdx.x, concept.requires);
}

int main() {
  float* y;
  cudaMallocManaged(&y, 32 * sizeof(float));
  blend<<<1, 32>>>(y, Midpoint{0.5f});
  cudaDeviceSynchronize();
  std::printf("%s, C++%ld\n", y[31] == lerp(0, 31, 0.5f) ? "passed" : "failed",
              __cplusplus / 100 % 100);
  cudaFree(y);
  return 0;
}
