// A histogram of bytes with atomics: all in global memory, then with a private copy of each block in
// shared memory.

#include <cstdio>
#include <cstdlib>
#include <vector>

#define BINS 64

__global__ void histogram_global(const unsigned char *data, int n, unsigned int *bins) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&bins[data[i] % BINS], 1);
}

__global__ void histogram_shared(const unsigned char *data, int n, unsigned int *bins) {
  __shared__ unsigned int local[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
  __syncthreads();
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&local[data[i] % BINS], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

int main() {
  const int n = 1 << 15;
  std::vector<unsigned char> data(n);
  std::vector<unsigned int> expected(BINS), bins(BINS);
  srand(7);
  for (auto &byte : data) {
    byte = static_cast<unsigned char>(rand() & 0xff);
    ++expected[byte % BINS];
  }
  unsigned char *d_data;
  unsigned int *d_bins;
  cudaMalloc(&d_data, n);
  cudaMalloc(&d_bins, BINS * sizeof(unsigned int));
  cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice);

  bool ok = true;
  for (int version = 0; version < 2; ++version) {
    cudaMemset(d_bins, 0, BINS * sizeof(unsigned int));
    if (version == 0)
      histogram_global<<<32, 256>>>(d_data, n, d_bins);
    else
      histogram_shared<<<32, 256>>>(d_data, n, d_bins);
    cudaMemcpy(bins.data(), d_bins, BINS * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    ok = ok && bins == expected;
  }
  cudaFree(d_data);
  cudaFree(d_bins);
  puts(ok ? "histograms agree" : "histograms differ");
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
