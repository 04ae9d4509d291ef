// Transposes a matrix through shared memory: once with a tile whose columns all lie in one bank, once
// with a tile that is padded by one column.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                \
  do {                                                                             \
    cudaError_t error = (call);                                                    \
    if (error != cudaSuccess) {                                                    \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(EXIT_FAILURE);                                                          \
    }                                                                              \
  } while (0)

constexpr int TILE = 32;
constexpr int ROWS = 8;

__global__ void transpose_conflicts(const float* in, float* out, int n) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transpose_padded(const float* in, float* out, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

static bool is_transposed(const std::vector<float>& in, const std::vector<float>& out, int n) {
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      if (out[x * n + y] != in[y * n + x]) return false;
  return true;
}

int main() {
  const int n = 128;
  const size_t bytes = n * n * sizeof(float);
  std::vector<float> in(n * n), out(n * n);
  for (int i = 0; i < n * n; ++i) in[i] = static_cast<float>(i);
  float *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, bytes));
  CHECK(cudaMalloc(&d_out, bytes));
  CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));

  dim3 grid(n / TILE, n / TILE);
  dim3 block(TILE, ROWS);
  bool ok = true;
  transpose_conflicts<<<grid, block>>>(d_in, d_out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
  ok = ok && is_transposed(in, out, n);
  transpose_padded<<<grid, block>>>(d_in, d_out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
  ok = ok && is_transposed(in, out, n);

  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  printf("transpose: %s\n", ok ? "passed" : "FAILED");
  return ok ? 0 : 1;
}
