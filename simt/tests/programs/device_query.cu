// What a program asks before it launches: properties, occupancy, attributes of a kernel.

#include <cstdio>

__global__ void __launch_bounds__(256) kernel(float *data) {
  extern __shared__ float big[];
  big[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = big[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int count = 0;
  cudaGetDeviceCount(&count);
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, device);
    printf("Device %d: \"%s\", compute capability %d.%d\n", device, prop.name, prop.major, prop.minor);
    printf("  warp %d, threads a block %d, shared memory a block %zu (%zu with opt-in)\n", prop.warpSize,
           prop.maxThreadsPerBlock, prop.sharedMemPerBlock, prop.sharedMemPerBlockOptin);
  }
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return 2;
  int grid = 0, block = 0, blocks_per_sm = 0;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 256);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, kernel, block, 0);
  printf("  %d blocks of %d threads on each multiprocessor\n", blocks_per_sm, block);
  if (block < 32 || grid < 1 || blocks_per_sm < 1) return 3;

  // More dynamic shared memory than 48 KiB needs to be asked for.
  const int threads = 256, bytes = 64 * 1024;
  float *data, first = 0.0f;
  cudaMalloc(&data, threads * sizeof(float));
  cudaMemset(data, 0, threads * sizeof(float));
  const float seven = 7.0f;
  cudaMemcpy(data + threads - 1, &seven, sizeof(float), cudaMemcpyHostToDevice);
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) return 4;
  kernel<<<1, threads, bytes>>>(data);
  if (cudaGetLastError() != cudaSuccess) return 5;
  cudaMemcpy(&first, data, sizeof(float), cudaMemcpyDeviceToHost);
  // A block that is too large is refused.
  kernel<<<1, 2048>>>(data);
  const cudaError_t error = cudaGetLastError();
  printf("  2048 threads a block: %s\n", cudaGetErrorString(error));
  cudaFree(data);
  return first == 7.0f && error == cudaErrorInvalidConfiguration ? 0 : 1;
}
