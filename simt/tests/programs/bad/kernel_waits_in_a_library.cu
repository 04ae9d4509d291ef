// A kernel that never comes back from a library: nobody writes to the pipe that it reads.
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void kernel(int pipe) {
  char byte;
  read(pipe, &byte, 1);
}

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 2;
  kernel<<<1, 1>>>(ends[0]);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
