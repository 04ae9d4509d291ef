// The host waits for something that never comes.
#include <unistd.h>
__global__ void kernel(int* out) { *out = 1; }
int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  kernel<<<1, 1>>>(out);
  for (;;) sleep(1);
}
