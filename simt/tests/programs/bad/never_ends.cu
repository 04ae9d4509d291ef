// The host waits for something that never comes, and has printed to a buffer before.
#include <cstdio>
#include <iostream>
#include <unistd.h>
__global__ void kernel(int* out) { *out = 1; }
int main() {
  std::ios::sync_with_stdio(false);
  int* out;
  cudaMalloc(&out, sizeof(int));
  kernel<<<1, 1>>>(out);
  std::printf("printed in C\n");
  std::cout << "printed in C++\n";
  for (;;) sleep(1);
}
