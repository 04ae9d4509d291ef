// saxpy with a grid-stride loop over managed memory; the launch is sized by the device's properties.

#include <cmath>
#include <iostream>

__global__ void saxpy(int n, float a, float *__restrict__ x, float *__restrict__ y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

int main() {
  int n = 1 << 16;
  float *x, *y;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  for (int i = 0; i < n; i++) {
    x[i] = 1.0f;
    y[i] = 2.0f;
  }

  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  saxpy<<<sms, 128>>>(n, 2.0f, x, y);
  cudaDeviceSynchronize();

  float worst = 0.0f;
  for (int i = 0; i < n; i++) worst = std::fmax(worst, std::fabs(y[i] - 4.0f));
  std::cout << "Max error: " << worst << std::endl;
  cudaFree(x);
  cudaFree(y);
  return worst == 0.0f ? 0 : 1;
}
