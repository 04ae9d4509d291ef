// Bitonic sort: short distances within a block in shared memory, long ones with a launch each.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define SHARED_SIZE 256

__device__ inline void comparator(unsigned &a, unsigned &b, unsigned dir) {
  if ((a > b) == dir) {
    unsigned t = a;
    a = b;
    b = t;
  }
}

__global__ void sort_in_shared(unsigned *keys) {
  __shared__ unsigned s[SHARED_SIZE];
  const unsigned base = blockIdx.x * SHARED_SIZE;
  s[threadIdx.x] = keys[base + threadIdx.x];
  s[threadIdx.x + SHARED_SIZE / 2] = keys[base + threadIdx.x + SHARED_SIZE / 2];
  for (unsigned size = 2; size <= SHARED_SIZE; size <<= 1) {
    unsigned dir = (threadIdx.x & (size / 2)) == 0;
    if (size == SHARED_SIZE) dir = (blockIdx.x & 1) == 0;
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      comparator(s[pos], s[pos + stride], dir);
    }
  }
  __syncthreads();
  keys[base + threadIdx.x] = s[threadIdx.x];
  keys[base + threadIdx.x + SHARED_SIZE / 2] = s[threadIdx.x + SHARED_SIZE / 2];
}

__global__ void merge_global(unsigned *keys, unsigned size, unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned pos = 2 * i - (i & (stride - 1));
  const unsigned dir = (pos & size) == 0;
  unsigned a = keys[pos], b = keys[pos + stride];
  comparator(a, b, dir);
  keys[pos] = a;
  keys[pos + stride] = b;
}

int main() {
  const unsigned n = 2048;
  std::vector<unsigned> keys(n);
  srand(3);
  for (auto &key : keys) key = static_cast<unsigned>(rand());
  std::vector<unsigned> expected = keys;
  std::sort(expected.begin(), expected.end());
  unsigned *d_keys;
  cudaMalloc(&d_keys, n * sizeof(unsigned));
  cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  sort_in_shared<<<n / SHARED_SIZE, SHARED_SIZE / 2>>>(d_keys);
  for (unsigned size = 2 * SHARED_SIZE; size <= n; size <<= 1)
    for (unsigned stride = size / 2; stride > 0; stride >>= 1)
      merge_global<<<n / 2 / 128, 128>>>(d_keys, size, stride);
  cudaMemcpy(keys.data(), d_keys, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(d_keys);
  const bool ok = keys == expected;
  puts(ok ? "sorted" : "not sorted");
  return ok ? 0 : 1;
}
