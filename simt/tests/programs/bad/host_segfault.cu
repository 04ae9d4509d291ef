// Host code that faults after it has read what nobody wrote.
#include <cstdio>
int main() {
  int* out;
  int value;
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(&value, out, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("printed before");
  *static_cast<volatile int*>(nullptr) = value;
}
