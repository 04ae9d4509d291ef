// One allocation is freed twice, another never; a third is larger than any machine.
#include <cstdio>
int main() {
  float *twice, *never, *huge;
  cudaMalloc(&twice, 64);
  cudaMalloc(&never, 4096);
  cudaFree(twice);
  cudaFree(twice);
  std::printf("%s\n", cudaGetErrorString(cudaMalloc(&huge, 1ull << 42)));
}
