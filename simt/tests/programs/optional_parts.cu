// Parts that a program may do without: a library that was not asked for, an array that need not be there, a launch's
// last argument, and an array that is never filled.
#include <cstdio>
#include <cuda_runtime.h>

#ifdef WITH_CUDNN
#include <cudnn_frontend.h>
#endif

__global__ void scale(float* out, const float* factors, float* copy, int n = 64) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = factors == NULL ? 2.0f : factors[i];
  if (copy != NULL) copy[i] = out[i];
}

int main() {
  const int n = 64;
  float *out, host[n];
  const float *none;
  cudaMalloc(&out, sizeof(host));
  cudaMalloc(&none, 4);
  scale<<<2, 32>>>(out, NULL, NULL);
  scale<<<1, 32>>>(out, 0, 0, 32);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("optional parts: %s\n", host[n - 1] == 2.0f ? "passed" : "FAILED");
  cudaFree(out);
  cudaFree((void *)none);
  return host[n - 1] == 2.0f ? 0 : 1;
}
