// A loop without an access to memory, in which no thread comes by anything that could stop it.
__global__ void kernel(int* flag) {
  unsigned count = 0;
  while (*flag == 0)
    ++count;
  *flag = count;
}

int main() {
  int* flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  kernel<<<1, 32>>>(flag);
  cudaDeviceSynchronize();
  cudaFree(flag);
}
