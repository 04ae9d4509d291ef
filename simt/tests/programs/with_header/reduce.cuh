// Shared memory that a header declares, outside of its functions.
#pragma once

extern __shared__ float partial[];
__shared__ int blocks_sum_is_odd;

__device__ inline float reduce(float value) {
  partial[threadIdx.x] = value;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  __syncthreads();
  return partial[0];
}
