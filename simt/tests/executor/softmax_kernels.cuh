/// \file
/// Softmax kernels whose counts Nsight Compute gave on an H200. They are CUDA as anyone writes it.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

namespace softmax_kernels {

constexpr unsigned kAllLanes = 0xffffffff;

struct Maximum {
  static __device__ float identity() { return -INFINITY; }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  static __device__ float identity() { return 0.0f; }
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename Operation>
__device__ float reduce_warp(float mine) {
  for (int distance = 16; distance > 0; distance /= 2) {
    mine = Operation{}(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  }
  return mine;
}

template <typename Operation>
__device__ float reduce_block(float mine) {
  __shared__ float of_warps[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warps = (blockDim.x + 31) / 32;
  mine = reduce_warp<Operation>(mine);
  if (lane == 0) of_warps[warp] = mine;
  __syncthreads();
  mine = lane < warps ? of_warps[lane] : Operation::identity();
  mine = reduce_warp<Operation>(mine);
  __syncthreads();
  return mine;
}

[[maybe_unused]] static __global__ void thread_per_row(const float* __restrict__ logits,
                                                       float* __restrict__ probabilities, int rows,
                                                       int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + static_cast<std::size_t>(row) * cols;
  float* y = probabilities + static_cast<std::size_t>(row) * cols;
  float maximum = -INFINITY;
  for (int col = 0; col < cols; ++col)
    maximum = fmaxf(maximum, x[col]);
  float sum = 0.0f;
  for (int col = 0; col < cols; ++col)
    sum += expf(x[col] - maximum);
  for (int col = 0; col < cols; ++col)
    y[col] = expf(x[col] - maximum) / sum;
}

[[maybe_unused]] static __global__ void block_per_row(const float* __restrict__ logits,
                                                      float* __restrict__ probabilities, int cols) {
  const float* x = logits + static_cast<std::size_t>(blockIdx.x) * cols;
  float* y = probabilities + static_cast<std::size_t>(blockIdx.x) * cols;
  float maximum = -INFINITY;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    maximum = fmaxf(maximum, __ldg(&x[col]));
  }
  maximum = reduce_block<Maximum>(maximum);
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x)
    sum += expf(x[col] - maximum);
  sum = reduce_block<Sum>(sum);
  for (int col = threadIdx.x; col < cols; col += blockDim.x)
    y[col] = expf(x[col] - maximum) / sum;
}

// 16-byte accesses; the row waits in dynamic shared memory.
[[maybe_unused]] static __global__ void row_in_shared_memory(const float4* __restrict__ logits,
                                                             float4* __restrict__ probabilities,
                                                             int vectors) {
  extern __shared__ float4 row[];
  const float4* x = logits + static_cast<std::size_t>(blockIdx.x) * vectors;
  float4* y = probabilities + static_cast<std::size_t>(blockIdx.x) * vectors;
  float maximum = -INFINITY;
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    const float4 v = x[i];
    row[i] = v;
    maximum = fmaxf(maximum, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  maximum = reduce_block<Maximum>(maximum);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    float4 v = row[i];
    v = make_float4(expf(v.x - maximum), expf(v.y - maximum), expf(v.z - maximum),
                    expf(v.w - maximum));
    sum += v.x + v.y + v.z + v.w;
    row[i] = v;
  }
  const float scale = 1.0f / reduce_block<Sum>(sum);
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    const float4 v = row[i];
    y[i] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
  }
}

[[maybe_unused]] static __global__ void pairs_of_halves(const __half2* __restrict__ logits,
                                                        __half2* __restrict__ probabilities,
                                                        int pairs) {
  const __half2* x = logits + static_cast<std::size_t>(blockIdx.x) * pairs;
  __half2* y = probabilities + static_cast<std::size_t>(blockIdx.x) * pairs;
  float maximum = -INFINITY;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = __half22float2(x[i]);
    maximum = fmaxf(maximum, fmaxf(v.x, v.y));
  }
  maximum = reduce_block<Maximum>(maximum);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = __half22float2(x[i]);
    sum += expf(v.x - maximum) + expf(v.y - maximum);
  }
  const float scale = 1.0f / reduce_block<Sum>(sum);
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = __half22float2(x[i]);
    y[i] = __floats2half2_rn(expf(v.x - maximum) * scale, expf(v.y - maximum) * scale);
  }
}

// A 32 x 32 tile is written by rows and read by columns; its pitch decides on bank conflicts.
template <int kPitch>
__global__ void tile_by_columns(const float* __restrict__ x, float* __restrict__ sums) {
  __shared__ float tile[32 * kPitch];
  for (int row = 0; row < 32; ++row) {
    tile[row * kPitch + threadIdx.x] = x[row * 32 + threadIdx.x];
  }
  __syncthreads();
  float sum = 0.0f;
  for (int col = 0; col < 32; ++col)
    sum += tile[threadIdx.x * kPitch + col];
  sums[threadIdx.x] = sum;
}

}  // namespace softmax_kernels
