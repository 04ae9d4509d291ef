// One sum in managed memory that nobody has set to 0; one that host code has, and one that a
// library has.
#include <cstring>

__global__ void count(int* sum) { atomicAdd(sum, 1); }

int main() {
  int* sums;
  cudaMallocManaged(&sums, 3 * sizeof(int));
  sums[0] = 0;
  std::memset(sums + 1, 0xff, sizeof(int));
  count<<<2, 32>>>(sums);
  count<<<2, 32>>>(sums + 1);
  count<<<2, 32>>>(sums + 2);
  cudaDeviceSynchronize();
  cudaFree(sums);
}
