#include <cstdio>

__global__ void read(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x, 0.0f);
}

__global__ void read_freed(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x, 0.0f);
}

__global__ void write(cudaSurfaceObject_t surface) {
  surf2Dwrite(1.0f, surface, 4 * threadIdx.x, 0);
}

int main() {
  float* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(float));
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaDestroyTextureObject(texture);
  read<<<1, 32>>>(texture, out);
  std::printf("read: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));

  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);
  write<<<1, 32>>>(surface);
  std::printf("write: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDestroySurfaceObject(surface);

  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaFreeArray(array);
  read_freed<<<1, 32>>>(texture, out);
  std::printf("read of what was freed: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDestroyTextureObject(texture);
  cudaFree(out);
}
