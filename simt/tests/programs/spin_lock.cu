// A lock in global memory that blocks take in turn, with compare-and-swap and fences.

#include <cstdio>

__device__ int lock_word = 0;
__device__ volatile int guarded[2];

__global__ void critical_sections() {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock_word, 0, 1) != 0) {
    }
    __threadfence();
    guarded[0] = guarded[0] + 1;
    guarded[1] = guarded[1] + 2;
    __threadfence();
    atomicExch(&lock_word, 0);
  }
}

int main() {
  critical_sections<<<50, 32>>>();
  int values[2] = {};
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  int *address = nullptr;
  size_t size = 0;
  cudaGetSymbolAddress((void **)&address, guarded);
  cudaGetSymbolSize(&size, guarded);
  cudaMemcpy(values, address, size, cudaMemcpyDeviceToHost);
  printf("%d %d\n", values[0], values[1]);
  return values[0] == 50 && values[1] == 100 ? 0 : 1;
}
