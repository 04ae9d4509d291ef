// The heat equation on a plate: a 2D stencil with pitched memory, many steps, two buffers.

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

__device__ __forceinline__ const float* row_of(const float* field, size_t pitch, int y) {
  return reinterpret_cast<const float*>(reinterpret_cast<const char*>(field) + y * pitch);
}

__global__ void step(const float* from, float* to, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float value = row_of(from, pitch, y)[x];
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
    value = 0.25f * (row_of(from, pitch, y)[x - 1] + row_of(from, pitch, y)[x + 1] +
                     row_of(from, pitch, y - 1)[x] + row_of(from, pitch, y + 1)[x]);
  }
  const_cast<float*>(row_of(to, pitch, y))[x] = value;
}

int main() {
  const int width = 70, height = 45, steps = 20;
  std::vector<float> field(width * height, 0.0f);
  for (int x = 0; x < width; ++x) field[x] = 100.0f;
  std::vector<float> expected = field, next = field;
  for (int s = 0; s < steps; ++s) {
    for (int y = 1; y < height - 1; ++y)
      for (int x = 1; x < width - 1; ++x)
        next[y * width + x] =
            0.25f * (expected[y * width + x - 1] + expected[y * width + x + 1] +
                     expected[(y - 1) * width + x] + expected[(y + 1) * width + x]);
    std::swap(expected, next);
  }

  float *a = nullptr, *b = nullptr;
  size_t pitch = 0;
  if (cudaMallocPitch(&a, &pitch, width * sizeof(float), height) != cudaSuccess) return 2;
  if (cudaMallocPitch(&b, &pitch, width * sizeof(float), height) != cudaSuccess) return 2;
  cudaMemcpy2D(a, pitch, field.data(), width * sizeof(float), width * sizeof(float), height,
               cudaMemcpyHostToDevice);
  const dim3 block(16, 16);
  const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  for (int s = 0; s < steps; ++s) {
    step<<<grid, block>>>(a, b, pitch, width, height);
    std::swap(a, b);
  }
  cudaMemcpy2D(field.data(), width * sizeof(float), a, pitch, width * sizeof(float), height,
               cudaMemcpyDeviceToHost);
  float worst = 0.0f;
  for (size_t i = 0; i < field.size(); ++i) worst = std::fmax(worst, std::fabs(field[i] - expected[i]));
  cudaFree(a);
  cudaFree(b);
  std::printf("pitch %s the width, worst error %g\n", pitch >= width * sizeof(float) ? "holds" : "misses",
              worst);
  return worst < 1e-3f ? 0 : 1;
}
