// An exclusive prefix sum of one block: Blelloch's up-sweep and down-sweep in shared memory, indices
// padded against bank conflicts.

#include <cstdio>
#include <vector>

#define LOG_BANKS 5
#define PADDED(i) ((i) + ((i) >> LOG_BANKS))

extern __shared__ int temp[];

__global__ void scan(const int *in, int *out, int n) {
  int t = threadIdx.x;
  temp[PADDED(t)] = in[t];
  temp[PADDED(t + n / 2)] = in[t + n / 2];
  int offset = 1;
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int ai = PADDED(offset * (2 * t + 1) - 1);
      int bi = PADDED(offset * (2 * t + 2) - 1);
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (t == 0) temp[PADDED(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int ai = PADDED(offset * (2 * t + 1) - 1);
      int bi = PADDED(offset * (2 * t + 2) - 1);
      int left = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += left;
    }
  }
  __syncthreads();
  out[t] = temp[PADDED(t)];
  out[t + n / 2] = temp[PADDED(t + n / 2)];
}

int main() {
  const int n = 1024;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 7) % 13;
  int *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  scan<<<1, n / 2, PADDED(n) * sizeof(int)>>>(d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int sum = 0, wrong = 0;
  for (int i = 0; i < n; ++i) {
    wrong += out[i] != sum;
    sum += in[i];
  }
  cudaFree(d_in);
  cudaFree(d_out);
  printf("%d of %d are wrong\n", wrong, n);
  return wrong != 0;
}
