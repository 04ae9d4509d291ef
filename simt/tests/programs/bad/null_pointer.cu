// Nothing is allocated on the device.
__global__ void kernel(int* out) { out[threadIdx.x] = 1; }
int main() {
  kernel<<<1, 32>>>(nullptr);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 3;
}
