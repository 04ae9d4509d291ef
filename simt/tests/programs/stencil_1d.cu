// A 1D stencil of radius 3 with a halo in shared memory.

#include <cstdio>
#include <vector>

#define RADIUS 3
#define BLOCK_SIZE 128

__global__ void stencil_1d(const int *in, int *out) {
  __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
  int lindex = threadIdx.x + RADIUS;

  temp[lindex] = in[gindex];
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = in[gindex - RADIUS];
    temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];
  }
  __syncthreads();

  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset];
  out[gindex] = result;
}

int main() {
  const int n = 8 * BLOCK_SIZE;
  std::vector<int> in(n + 2 * RADIUS), out(n + 2 * RADIUS);
  for (int i = 0; i < n + 2 * RADIUS; ++i) in[i] = i % 17;
  int *d_in, *d_out;
  const size_t bytes = in.size() * sizeof(int);
  cudaMalloc((void **)&d_in, bytes);
  cudaMalloc((void **)&d_out, bytes);
  cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_out, out.data(), bytes, cudaMemcpyHostToDevice);
  stencil_1d<<<n / BLOCK_SIZE, BLOCK_SIZE>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = RADIUS; i < n + RADIUS; ++i) {
    int expected = 0;
    for (int j = -RADIUS; j <= RADIUS; ++j) expected += in[i + j];
    wrong += out[i] != expected;
  }
  cudaFree(d_in);
  cudaFree(d_out);
  printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
