// Six launches, of which the third, the fifth and the sixth make the same mistake.
__global__ void late(const int* in, int* out, int n) {
  __shared__ int copy[32];
  if (n > 0) copy[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = copy[threadIdx.x];
}
int main() {
  int* memory;
  cudaMalloc(&memory, 64 * sizeof(int));
  cudaMemset(memory, 0, 32 * sizeof(int));
  for (int launch = 1; launch <= 6; ++launch)
    late<<<1, 32>>>(memory, memory + 32, launch < 3 || launch == 4);
  cudaFree(memory);
}
