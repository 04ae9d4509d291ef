#include <cuda_runtime.h>

__global__ void kernel(int* x) { *x = __vimax3_s32(1, 2, 3); }
int main() {
  CUcontext context;
  cudaFutureFeature_t future;
  cudaFutureFeatureStart(&future);
  cudaFutureFeatureStart(&future);
  cudaDeviceProp properties;
  return properties.cudaFutureMember;
}
