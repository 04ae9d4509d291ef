// C = A * B: one thread an element, straight from global memory, then with tiles in shared memory.

#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define TILE_WIDTH 16

__global__ void matmul_naive(const float *a, const float *b, float *c, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < width && col < width) {
    float sum = 0;
    for (int k = 0; k < width; ++k) sum += a[row * width + k] * b[k * width + col];
    c[row * width + col] = sum;
  }
}

__global__ void matmul_tiled(const float *a, const float *b, float *c, int width) {
  __shared__ float ads[TILE_WIDTH][TILE_WIDTH];
  __shared__ float bds[TILE_WIDTH][TILE_WIDTH];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE_WIDTH + ty, col = blockIdx.x * TILE_WIDTH + tx;
  float value = 0;
  for (int ph = 0; ph < (width + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {
    int ax = ph * TILE_WIDTH + tx, by = ph * TILE_WIDTH + ty;
    ads[ty][tx] = row < width && ax < width ? a[row * width + ax] : 0.0f;
    bds[ty][tx] = by < width && col < width ? b[by * width + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE_WIDTH; ++k) value += ads[ty][k] * bds[k][tx];
    __syncthreads();
  }
  if (row < width && col < width) c[row * width + col] = value;
}

int main() {
  const int width = 50;
  const size_t size = width * width * sizeof(float);
  std::vector<float> a(width * width), b(width * width), c(width * width);
  for (auto &x : a) x = static_cast<float>(rand() % 10);
  for (auto &x : b) x = static_cast<float>(rand() % 10);
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, size);
  cudaMalloc(&d_b, size);
  cudaMalloc(&d_c, size);
  cudaMemcpy(d_a, a.data(), size, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), size, cudaMemcpyHostToDevice);
  dim3 threads(TILE_WIDTH, TILE_WIDTH, 1);
  dim3 blocks((width - 1) / TILE_WIDTH + 1, (width - 1) / TILE_WIDTH + 1, 1);
  bool ok = true;
  for (int version = 0; version < 2; ++version) {
    if (version == 0) {
      matmul_naive<<<blocks, threads>>>(d_a, d_b, d_c, width);
    } else {
      matmul_tiled<<<blocks, threads>>>(d_a, d_b, d_c, width);
    }
    cudaMemcpy(c.data(), d_c, size, cudaMemcpyDeviceToHost);
    for (int i = 0; i < width; ++i)
      for (int j = 0; j < width; ++j) {
        float expected = 0;
        for (int k = 0; k < width; ++k) expected += a[i * width + k] * b[k * width + j];
        if (std::fabs(c[i * width + j] - expected) > 1e-3f) ok = false;
      }
  }
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  printf("%s\n", ok ? "correct" : "wrong");
  return ok ? 0 : 1;
}
