// Threads that wait for each other, and a warp that does more than is recorded: for the player.

#include <cstdio>

__global__ void run_on(int* values, int turns) {
  for (int i = 0; i < turns; ++i)
    values[(threadIdx.x + i) % 32] = i;
}

// Half of the second warp waits for the other half, which waits for all.
__global__ void waits_for_ever() {
  if (threadIdx.x < 48) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

int main() {
  int* values;
  cudaMalloc(&values, 64 * sizeof(int));
  run_on<<<1, 32>>>(values, 3000);
  waits_for_ever<<<1, 64>>>();
  cudaDeviceSynchronize();
  std::puts("stuck");
}
