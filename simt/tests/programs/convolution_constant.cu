// A separable-sized 2D convolution with its mask in constant memory and a halo in shared memory.

#include <cmath>
#include <cstdio>
#include <vector>

#define MASK_WIDTH 5
#define RADIUS (MASK_WIDTH / 2)
#define TILE 16
#define PATCH (TILE + MASK_WIDTH - 1)

__constant__ float c_mask[MASK_WIDTH][MASK_WIDTH];
__device__ int d_blocks_done;

__global__ void convolve(const float *in, float *out, int width, int height) {
  __shared__ float patch[PATCH][PATCH];
  const int x0 = blockIdx.x * TILE - RADIUS, y0 = blockIdx.y * TILE - RADIUS;
  for (int i = threadIdx.y * TILE + threadIdx.x; i < PATCH * PATCH; i += TILE * TILE) {
    const int x = x0 + i % PATCH, y = y0 + i / PATCH;
    patch[i / PATCH][i % PATCH] =
        x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) {
    float sum = 0.0f;
    for (int j = 0; j < MASK_WIDTH; ++j)
      for (int i = 0; i < MASK_WIDTH; ++i)
        sum += c_mask[j][i] * patch[threadIdx.y + j][threadIdx.x + i];
    out[y * width + x] = sum;
  }
  if (threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(&d_blocks_done, 1);
}

int main() {
  const int width = 50, height = 37;
  float mask[MASK_WIDTH][MASK_WIDTH];
  for (int j = 0; j < MASK_WIDTH; ++j)
    for (int i = 0; i < MASK_WIDTH; ++i) mask[j][i] = 1.0f / (1.0f + std::abs(i - 2) + std::abs(j - 2));
  std::vector<float> in(width * height), out(width * height);
  for (int i = 0; i < width * height; ++i) in[i] = static_cast<float>(i % 11);
  const int zero = 0;
  cudaMemcpyToSymbol(c_mask, mask, sizeof(mask));
  cudaMemcpyToSymbol(d_blocks_done, &zero, sizeof(zero));
  float *d_in, *d_out;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_out, out.size() * sizeof(float));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 block(TILE, TILE), grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
  convolve<<<grid, block>>>(d_in, d_out, width, height);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int done = 0;
  cudaMemcpyFromSymbol(&done, d_blocks_done, sizeof(done));
  float worst = 0.0f;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float sum = 0.0f;
      for (int j = -RADIUS; j <= RADIUS; ++j)
        for (int i = -RADIUS; i <= RADIUS; ++i)
          if (x + i >= 0 && x + i < width && y + j >= 0 && y + j < height)
            sum += mask[j + RADIUS][i + RADIUS] * in[(y + j) * width + x + i];
      worst = std::fmax(worst, std::fabs(out[y * width + x] - sum));
    }
  cudaFree(d_in);
  cudaFree(d_out);
  printf("%d blocks, worst error %g\n", done, worst);
  return done == static_cast<int>(grid.x * grid.y) && worst < 1e-4f ? 0 : 1;
}
