// Estimates pi with a random number generator of its own (xorshift), one stream a thread.

#include <cmath>
#include <cstdint>
#include <cstdio>

struct Rng {
  uint32_t state;
  __host__ __device__ explicit Rng(uint32_t seed) : state(seed * 747796405u + 2891336453u) {
    if (state == 0) state = 1;
  }
  __host__ __device__ uint32_t next() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
  }
  __host__ __device__ float uniform() { return (next() >> 8) * (1.0f / 16777216.0f); }
};

__host__ __device__ inline unsigned hits_of(uint32_t seed, int samples) {
  Rng rng(seed);
  unsigned hits = 0;
  for (int i = 0; i < samples; ++i) {
    const float x = rng.uniform(), y = rng.uniform();
    if (x * x + y * y <= 1.0f) ++hits;
  }
  return hits;
}

__global__ void count_hits(unsigned long long *total, int samples) {
  unsigned hits = hits_of(blockIdx.x * blockDim.x + threadIdx.x, samples);
  for (int mask = 16; mask > 0; mask >>= 1) hits += __shfl_xor_sync(0xffffffffu, hits, mask);
  if ((threadIdx.x & 31) == 0) atomicAdd(total, static_cast<unsigned long long>(hits));
}

int main() {
  const int blocks = 8, threads = 128, samples = 64;
  unsigned long long *d_total, total = 0, expected = 0;
  cudaMalloc(&d_total, sizeof(total));
  cudaMemset(d_total, 0, sizeof(total));
  count_hits<<<blocks, threads>>>(d_total, samples);
  cudaMemcpy(&total, d_total, sizeof(total), cudaMemcpyDeviceToHost);
  cudaFree(d_total);
  for (int t = 0; t < blocks * threads; ++t) expected += hits_of(t, samples);
  const double pi = 4.0 * static_cast<double>(total) / (static_cast<double>(blocks) * threads * samples);
  printf("pi is about %.3f\n", pi);
  return total == expected && std::fabs(pi - 3.14159) < 0.05 ? 0 : 1;
}
