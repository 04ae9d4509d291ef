// The same kernel again and again, and once in another shape.

#include <cstdio>

__global__ void increment(int* numbers) {
  ++numbers[blockIdx.x * blockDim.x + threadIdx.x];
}

int main() {
  constexpr int kNumbers = 256;
  int* numbers = nullptr;
  cudaMalloc(&numbers, kNumbers * sizeof(int));
  cudaMemset(numbers, 0, kNumbers * sizeof(int));
  for (int i = 0; i < 10; ++i)
    increment<<<2, 128>>>(numbers);
  increment<<<4, 64>>>(numbers);
  increment<<<2, 128>>>(numbers);
  int first = 0;
  cudaMemcpy(&first, numbers, sizeof first, cudaMemcpyDeviceToHost);
  cudaFree(numbers);
  std::printf("many_launches: %s\n", first == 12 ? "passed" : "FAILED");
  return first == 12 ? 0 : 1;
}
