// axpy in half precision, two elements at a time; and the same in bfloat16.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <vector>

__global__ void axpy_half2(__half2 a, const __half2 *x, __half2 *y, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void axpy_bf16(__nv_bfloat16 a, const __nv_bfloat16 *x, __nv_bfloat16 *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma(a, x[i], y[i]);
}

__global__ void sum_half2(const __half2 *y, int pairs, __half2 *sum) {
  __half2 mine = __float2half2_rn(0.0f);
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) mine = __hadd2(mine, y[i]);
  atomicAdd(sum, mine);
}

int main() {
  const int n = 1024;
  std::vector<__half> x(n), y(n);
  std::vector<__nv_bfloat16> bx(n), by(n);
  for (int i = 0; i < n; ++i) {
    x[i] = __float2half(static_cast<float>(i % 16));
    y[i] = __float2half(1.0f);
    bx[i] = __float2bfloat16(static_cast<float>(i % 16));
    by[i] = __float2bfloat16(1.0f);
  }
  __half2 *d_x, *d_y, *d_sum;
  __nv_bfloat16 *d_bx, *d_by;
  cudaMalloc(&d_x, n * sizeof(__half));
  cudaMalloc(&d_y, n * sizeof(__half));
  cudaMalloc(&d_sum, sizeof(__half2));
  cudaMalloc(&d_bx, n * sizeof(__nv_bfloat16));
  cudaMalloc(&d_by, n * sizeof(__nv_bfloat16));
  cudaMemcpy(d_x, x.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_bx, bx.data(), n * sizeof(__nv_bfloat16), cudaMemcpyHostToDevice);
  cudaMemcpy(d_by, by.data(), n * sizeof(__nv_bfloat16), cudaMemcpyHostToDevice);
  cudaMemset(d_sum, 0, sizeof(__half2));
  axpy_half2<<<n / 2 / 128, 128>>>(__float2half2_rn(0.5f), d_x, d_y, n / 2);
  sum_half2<<<1, 64>>>(d_y, 64, d_sum);
  axpy_bf16<<<n / 128, 128>>>(__float2bfloat16(0.5f), d_bx, d_by, n);
  __half2 sum;
  cudaMemcpy(&sum, d_sum, sizeof(sum), cudaMemcpyDeviceToHost);
  cudaMemcpy(y.data(), d_y, n * sizeof(__half), cudaMemcpyDeviceToHost);
  cudaMemcpy(by.data(), d_by, n * sizeof(__nv_bfloat16), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float expected = 0.5f * static_cast<float>(i % 16) + 1.0f;
    wrong += __half2float(y[i]) != expected;
    wrong += __bfloat162float(by[i]) != expected;
  }
  const float total = __low2float(sum) + __high2float(sum);
  cudaFree(d_x);
  cudaFree(d_y);
  cudaFree(d_sum);
  cudaFree(d_bx);
  cudaFree(d_by);
  printf("%d wrong, sum %g\n", wrong, total);
  return wrong == 0 && total == 128 * 4.75f ? 0 : 1;
}
