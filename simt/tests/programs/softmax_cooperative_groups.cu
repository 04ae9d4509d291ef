// Softmax of each row by one block, with cooperative groups.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int kWarp = 32;

template <typename Op>
__device__ float block_reduce(cg::thread_block block, float value, float identity, Op op) {
  __shared__ float partial[kWarp];
  auto warp = cg::tiled_partition<kWarp>(block);
  value = cg::reduce(warp, value, op);
  if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = value;
  block.sync();
  value = warp.thread_rank() < warp.meta_group_size() ? partial[warp.thread_rank()] : identity;
  value = cg::reduce(warp, value, op);
  block.sync();
  return value;
}

__global__ void softmax(const float* in, float* out, int columns) {
  cg::thread_block block = cg::this_thread_block();
  const float* x = in + static_cast<size_t>(blockIdx.x) * columns;
  float* y = out + static_cast<size_t>(blockIdx.x) * columns;
  float largest = -FLT_MAX;
  for (int i = block.thread_rank(); i < columns; i += block.size()) largest = fmaxf(largest, x[i]);
  largest = block_reduce(block, largest, -FLT_MAX, cg::greater<float>());
  float sum = 0.0f;
  for (int i = block.thread_rank(); i < columns; i += block.size()) sum += expf(x[i] - largest);
  sum = block_reduce(block, sum, 0.0f, cg::plus<float>());
  for (int i = block.thread_rank(); i < columns; i += block.size())
    y[i] = expf(x[i] - largest) / sum;
}

int main() {
  const int rows = 8, columns = 1000;
  std::vector<float> in(rows * columns), out(rows * columns);
  for (size_t i = 0; i < in.size(); ++i) in[i] = 8.0f * std::sin(0.37f * static_cast<float>(i));
  float *d_in, *d_out;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_out, out.size() * sizeof(float));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  softmax<<<rows, 128>>>(d_in, d_out, columns);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);

  double worst = 0.0;
  for (int r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (int c = 0; c < columns; ++c) sum += std::exp(static_cast<double>(in[r * columns + c]));
    for (int c = 0; c < columns; ++c) {
      const double expected = std::exp(static_cast<double>(in[r * columns + c])) / sum;
      worst = std::fmax(worst, std::fabs(out[r * columns + c] - expected) / expected);
    }
  }
  std::printf("worst relative error %.2g\n", worst);
  cudaFree(d_in);
  cudaFree(d_out);
  return worst < 1e-5 ? 0 : 1;
}
