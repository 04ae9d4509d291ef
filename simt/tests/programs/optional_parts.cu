// Parts that a program may do without: a library that was not asked for, and an array that need not be there.
#include <cstdio>
#include <cuda_runtime.h>

#ifdef WITH_CUDNN
#include <cudnn_frontend.h>
#endif

__global__ void scale(float* out, const float* factors, float* copy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = factors == NULL ? 2.0f : factors[i];
  if (copy != NULL) copy[i] = out[i];
}

int main() {
  const int n = 64;
  float *out, host[n];
  cudaMalloc(&out, sizeof(host));
  scale<<<2, 32>>>(out, NULL, NULL, n);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("optional parts: %s\n", host[n - 1] == 2.0f ? "passed" : "FAILED");
  cudaFree(out);
  return host[n - 1] == 2.0f ? 0 : 1;
}
