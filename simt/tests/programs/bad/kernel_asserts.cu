#include <cassert>
#include <cstdio>
__global__ void kernel(int wrong) {
  assert(blockIdx.x != 1 || threadIdx.x != wrong);
}
int main() {
  kernel<<<2, 64>>>(7);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
