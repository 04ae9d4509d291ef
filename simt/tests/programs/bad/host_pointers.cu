// Kernels that are given memory of the host, in six ways, of which the last two are allowed.
#include <cstdio>
#include <cstdlib>

struct Pair {
  const int* on_host;
  const int* on_device;
};
int of_host[32];

__global__ void reads(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void reads_pair(Pair in, int* out) { out[threadIdx.x] = in.on_device[threadIdx.x]; }
__global__ void adds(int* sum) { atomicAdd(sum, 1); }
__global__ void allocates(Pair in, int* out) {
  int* own = static_cast<int*>(malloc(sizeof(int)));
  *own = in.on_device[threadIdx.x];
  out[threadIdx.x] = *own;
  free(own);
}

int main() {
  int* device;
  cudaMalloc(&device, 64 * sizeof(int));
  cudaMemset(device, 0, 64 * sizeof(int));
  int* heap = static_cast<int*>(calloc(32, sizeof(int)));
  int on_stack[32] = {};
  reads<<<1, 32>>>(heap, device);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  reads<<<1, 32>>>(of_host, device);
  adds<<<1, 32>>>(on_stack);
  reads_pair<<<1, 32>>>(Pair{device, heap}, device + 32);
  (void)cudaGetLastError();
  int* pinned;
  cudaMallocHost(&pinned, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) pinned[i] = i;
  reads<<<1, 32>>>(pinned, device);
  cudaHostRegister(heap, 32 * sizeof(int), cudaHostRegisterDefault);
  reads<<<1, 32>>>(heap, device);
  cudaHostUnregister(heap);
  allocates<<<1, 32>>>(Pair{heap, device}, device + 32);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(heap, device, sizeof(int), cudaMemcpyHostToDevice);
  cudaFreeHost(pinned);
  cudaFree(device);
  free(heap);
}
