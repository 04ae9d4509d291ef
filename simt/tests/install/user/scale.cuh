#pragma once

// One thread an element. WITHOUT_BOUND leaves a mistake in.
__global__ void scale(float* x, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef WITHOUT_BOUND
  if (i >= n) return;
#endif
  x[i] *= factor;
}
