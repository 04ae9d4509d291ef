// One warp that does more than a thousand things, for the player of `simt run --html`.

#include <cstdio>

__global__ void walk(int* values, int turns) {
  int sum = threadIdx.x;
  for (int i = 0; i < turns; ++i) {
    sum += __shfl_xor_sync(0xffffffff, sum, 1 << i % 5);
    if (threadIdx.x % 2 == i % 2) values[threadIdx.x] = sum;
    if (__any_sync(0xffffffff, sum < 0)) sum = 0;
  }
}

int main() {
  int* values;
  cudaMalloc(&values, 32 * sizeof(int));
  walk<<<1, 32>>>(values, 250);
  cudaFree(values);
  std::puts("walked");
}
