// Macros of the command line whose names the executor's headers have as well: -D T=1 -D value=2.
#include <cstdio>

__global__ void kernel(int* out) { *out = T + value; }

int main() {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  kernel<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  std::printf("%s\n", *out == 3 ? "passed" : "failed");
  cudaFree(out);
}
