// Names that begin like those of CUDA's API, and are the program's own.
#include <cstdio>
#include <cuda_runtime.h>

struct cudaArrayView {
  int* data;
  int count;
};

__device__ int tex2DIndex(int x, int y) { return 32 * y + x; }

__global__ void fill(cudaArrayView view) {
  const int at = tex2DIndex(threadIdx.x, 0);
  if (at < view.count) view.data[at] = at;
}

static void cudaGraphicsCheck(cudaError_t error) {
  if (error != cudaSuccess) std::printf("failed\n");
}

int main() {
  cudaArrayView view = {nullptr, 20};
  cudaGraphicsCheck(cudaMallocManaged(&view.data, 20 * sizeof(int)));
  fill<<<1, 32>>>(view);
  cudaGraphicsCheck(cudaDeviceSynchronize());
  std::printf("%s\n", view.data[19] == 19 ? "passed" : "failed");
  cudaGraphicsCheck(cudaFree(view.data));
  return 0;
}
