// A kernel writes past its memory, unnoticed; then the host crashes, with output in a buffer.
#include <cstdio>
#include <cstdlib>
__global__ void kernel(int* out) { out[threadIdx.x] = 1; }
int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  kernel<<<1, 33>>>(out);
  std::printf("printed before");
  std::abort();
}
