// The compiler sees that these pointers are null, and must still take the address of a function for a constant.
__global__ void store(int* out) { *out = 1; }
__global__ void twice(float* values) {
  if (threadIdx.x < 10) values[threadIdx.x] *= 2;
}
__global__ void own() {
  int* null = nullptr;
  *null = 1;
}
__device__ float square(float x) { return x * x; }
static_assert(square != nullptr);
int main() {
  store<<<1, 1>>>(nullptr);
  twice<<<1, 32>>>(nullptr);
  own<<<1, 1>>>();
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 3;
}
