// Host threads of OpenMP, which nvcc's users ask for by -Xcompiler -fopenmp: they add up what a
// kernel has stored.

#include <omp.h>

#include <cstdio>

constexpr int kCount = 64;

__global__ void fill(int* values) {
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main() {
  int* values = nullptr;
  cudaMallocManaged(&values, kCount * sizeof(int));
  fill<<<1, kCount>>>(values);
  cudaDeviceSynchronize();
  int sum = 0;
  int threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for
    for (int i = 0; i < kCount; ++i)
      sum += values[i];
  }
  cudaFree(values);
  const bool passed = sum == kCount * (kCount - 1) / 2 && threads == 4;
  std::printf("openmp: %s\n", passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}
