// The first launch is right, the second, of the same kernel and shape, is not.

#include <cstdio>

__global__ void store(float* out, int elements, unsigned step) {
  unsigned at = threadIdx.x;
  while (at >= static_cast<unsigned>(elements)) at -= step;
  out[at] = 1.0f;
}

__global__ void read(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

int main() {
  float *out = nullptr, *read_of = nullptr;
  cudaMalloc(&out, 31 * sizeof(float));
  cudaMalloc(&read_of, 31 * sizeof(float));
  store<<<1, 32>>>(out, 31, 1);
#if defined(OUT_OF_BOUNDS)
  store<<<1, 32>>>(out, 32, 1);
#elif defined(CRASH)
  store<<<1, 32>>>(reinterpret_cast<float*>(1024), 32, 1);
#elif defined(ENDLESS)
  store<<<1, 32>>>(out, 31, 0);
#elif defined(UNWRITTEN)
  store<<<1, 32>>>(read_of, 30, 1);
  read<<<1, 31>>>(read_of, out);
#endif
  cudaFree(out);
  cudaFree(read_of);
  std::printf("error %d\n", cudaGetLastError());
}
