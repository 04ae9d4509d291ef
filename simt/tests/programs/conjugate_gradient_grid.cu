// Conjugate gradients for a tridiagonal system in one cooperative launch: barriers of the whole grid
// between its phases.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__device__ void grid_dot(const float *a, const float *b, int n, double *result, cg::grid_group &grid,
                         cg::thread_block &cta) {
  double sum = 0.0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += static_cast<double>(a[i]) * b[i];
  auto tile = cg::tiled_partition<32>(cta);
  sum = cg::reduce(tile, sum, cg::plus<double>());
  if (tile.thread_rank() == 0) atomicAdd(result, sum);
}

__device__ void apply(const float *x, float *y, int n, cg::grid_group &grid) {
  for (int i = grid.thread_rank(); i < n; i += grid.size()) {
    float value = 2.5f * x[i];
    if (i > 0) value -= x[i - 1];
    if (i < n - 1) value -= x[i + 1];
    y[i] = value;
  }
}

__global__ void solve(float *x, float *r, float *p, float *ap, double *dots, int n, int steps) {
  cg::thread_block cta = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  for (int k = 0; k < steps; ++k) {
    if (grid.thread_rank() == 0) dots[0] = dots[1] = dots[2] = 0.0;
    cg::sync(grid);
    apply(p, ap, n, grid);
    cg::sync(grid);
    grid_dot(r, r, n, &dots[0], grid, cta);
    grid_dot(p, ap, n, &dots[1], grid, cta);
    cg::sync(grid);
    const float alpha = static_cast<float>(dots[0] / dots[1]);
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      x[i] += alpha * p[i];
      r[i] -= alpha * ap[i];
    }
    cg::sync(grid);
    grid_dot(r, r, n, &dots[2], grid, cta);
    cg::sync(grid);
    const float beta = static_cast<float>(dots[2] / dots[0]);
    for (int i = grid.thread_rank(); i < n; i += grid.size()) p[i] = r[i] + beta * p[i];
    cg::sync(grid);
  }
}

int main() {
  int n = 600, steps = 12, threads = 64, blocks_per_sm = 0, device = 0;
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, device);
  int cooperative = 0;
  cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
  if (!cooperative) return 2;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, solve, threads, 0);
  int blocks = blocks_per_sm * properties.multiProcessorCount;
  if (blocks > 8) blocks = 8;

  std::vector<float> ones(n, 1.0f), zeros(n, 0.0f);
  float *x, *r, *p, *ap;
  double *dots;
  const size_t bytes = n * sizeof(float);
  cudaMalloc(&x, bytes);
  cudaMalloc(&r, bytes);
  cudaMalloc(&p, bytes);
  cudaMalloc(&ap, bytes);
  cudaMalloc(&dots, 3 * sizeof(double));
  cudaMemcpy(x, zeros.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(r, ones.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(p, ones.data(), bytes, cudaMemcpyHostToDevice);
  void *args[] = {&x, &r, &p, &ap, &dots, &n, &steps};
  cudaError_t error = cudaLaunchCooperativeKernel((void *)solve, dim3(blocks), dim3(threads), args, 0, NULL);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    printf("%s\n", cudaGetErrorString(error));
    return 2;
  }
  std::vector<float> solution(n);
  cudaMemcpy(solution.data(), x, bytes, cudaMemcpyDeviceToHost);
  double worst = 0.0;
  for (int i = 0; i < n; ++i) {
    double value = 2.5 * solution[i];
    if (i > 0) value -= solution[i - 1];
    if (i < n - 1) value -= solution[i + 1];
    worst = std::fmax(worst, std::fabs(value - 1.0));
  }
  for (void *pointer : {(void *)x, (void *)r, (void *)p, (void *)ap, (void *)dots}) cudaFree(pointer);
  printf("residual %.2g\n", worst);
  return worst < 5e-3 ? 0 : 1;
}
