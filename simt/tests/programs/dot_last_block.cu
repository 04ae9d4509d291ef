// A dot product in one launch: each block leaves its partial sum, and the block that finishes last
// adds them up.

#include <cmath>
#include <cstdio>
#include <vector>

__device__ unsigned int finished_blocks = 0;

__device__ bool is_last_block() {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    const unsigned int ticket = atomicInc(&finished_blocks, gridDim.x - 1);
    last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  return last;
}

__device__ float block_sum(float value) {
  __shared__ float warps[32];
  __syncthreads();
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0.0f;
  if (threadIdx.x < 32)
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  return value;
}

__global__ void dot(const float* x, const float* y, int n, volatile float* partial, float* result) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i] * y[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  if (!is_last_block()) return;
  sum = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *result = sum;
}

int main() {
  const int n = 20000, blocks = 24;
  std::vector<float> x(n), y(n);
  double expected = 0.0;
  for (int i = 0; i < n; ++i) {
    x[i] = 0.001f * static_cast<float>(i % 100);
    y[i] = static_cast<float>(i % 7);
    expected += static_cast<double>(x[i]) * y[i];
  }
  float *d_x, *d_y, *d_partial, *d_result;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMalloc(&d_y, n * sizeof(float));
  cudaMalloc(&d_partial, blocks * sizeof(float));
  cudaMalloc(&d_result, sizeof(float));
  cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  bool ok = true;
  for (int round = 0; round < 2; ++round) {
    dot<<<blocks, 128>>>(d_x, d_y, n, d_partial, d_result);
    float result = 0.0f;
    cudaMemcpy(&result, d_result, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%.3f, expected %.3f\n", result, expected);
    ok = ok && std::fabs(result - expected) < 1e-3 * expected;
  }
  for (float* p : {d_x, d_y, d_partial, d_result}) cudaFree(p);
  return ok ? 0 : 1;
}
