// One thread waits for a flag that nobody sets, the others for that thread.
__global__ void kernel(volatile int* flag) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
  }
  __syncthreads();
}
int main() {
  int* flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  kernel<<<2, 64>>>(flag);
  cudaDeviceSynchronize();
  cudaFree(flag);
}
