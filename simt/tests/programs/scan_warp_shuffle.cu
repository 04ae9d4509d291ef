// An inclusive prefix sum over many blocks: shuffles within a warp, shared memory between warps, and
// a second launch that adds what came before each block.

#include <cstdio>
#include <vector>

#define FULL_MASK 0xffffffff

__inline__ __device__ int warp_scan(int value) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int delta = 1; delta < 32; delta <<= 1) {
    const int below = __shfl_up_sync(FULL_MASK, value, delta);
    if (lane >= delta) value += below;
  }
  return value;
}

__global__ void scan_blocks(const int* in, int* out, int* totals, int n) {
  __shared__ int warp_totals[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int value = i < n ? in[i] : 0;
  value = warp_scan(value);
  if (lane == 31) warp_totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const int total = lane < (blockDim.x >> 5) ? warp_totals[lane] : 0;
    warp_totals[lane] = warp_scan(total);
  }
  __syncthreads();
  if (warp > 0) value += warp_totals[warp - 1];
  if (i < n) out[i] = value;
  if (totals != nullptr && threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = value;
}

__global__ void add_totals(int* out, const int* totals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += totals[blockIdx.x - 1];
}

int main() {
  const int n = 10000, threads = 256, blocks = (n + threads - 1) / threads;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i % 5 - 1;
  int *d_in, *d_out, *d_totals;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMalloc(&d_totals, blocks * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  scan_blocks<<<blocks, threads>>>(d_in, d_out, d_totals, n);
  scan_blocks<<<1, threads>>>(d_totals, d_totals, nullptr, blocks);
  add_totals<<<blocks, threads>>>(d_out, d_totals, n);
  cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int sum = 0, wrong = 0;
  for (int i = 0; i < n; ++i) {
    sum += in[i];
    wrong += out[i] != sum;
  }
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_totals);
  printf("%d wrong\n", wrong);
  return wrong ? 1 : 0;
}
