/* The runtime API from C, which no C++ compiler takes. */
#include <cuda_runtime.h>

/* The sum of count numbers that lie in memory of the device, and what else C finds there. */
int sum_on_device(const int* device_values, int count) {
  int new[64];
  struct cudaDeviceProp properties;
  const dim3 grid = {2, 3, 4};
  const float4 vector = make_float4(1, 2, 3, 4);
  void* copy;
  int sum = 0;
  if (count > 64 || cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return -1;
  if (properties.warpSize != 32 || grid.x + grid.y + grid.z != 9 || vector.w != 4) return -2;
  if (sizeof(int2) != 8 || sizeof(double4) != 32 || sizeof(char3) != 3) return -3;
  if (cudaMalloc(&copy, count * sizeof(int)) != cudaSuccess) return -4;
  cudaMemcpy(copy, device_values, count * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaMemcpy(new, copy, count * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(copy);
  while (count-- > 0) sum += new[count];
  return sum;
}
