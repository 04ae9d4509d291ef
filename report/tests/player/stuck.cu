// Threads that never come to a barrier, and a warp that does more than is recorded: for the player.

#include <cstdio>

__global__ void run_on(int* values, int turns) {
  for (int i = 0; i < turns; ++i)
    values[(threadIdx.x + i) % 32] = i;
}

__global__ void half_a_barrier(int* values) {
  if (threadIdx.x < 32) __syncthreads();
  values[threadIdx.x] = 1;
}

int main() {
  int* values;
  cudaMalloc(&values, 64 * sizeof(int));
  run_on<<<1, 32>>>(values, 3000);
  half_a_barrier<<<1, 64>>>(values);
  cudaDeviceSynchronize();
  std::puts("stuck");
}
