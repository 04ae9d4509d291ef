#include "vector.cuh"

namespace {

__global__ void scale_kernel(float* data, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}

__global__ void sum_kernel(const float* data, int n, float* sum) {
  float mine = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += data[i];
  mine = warp_sum<32>(mine);
  if (threadIdx.x == 0) *sum = mine;
}

}  // namespace

Vector::Vector(const std::vector<float>& values) : size_(static_cast<int>(values.size())) {
  cudaMalloc(&data_, size_ * sizeof(float));
  cudaMemcpy(data_, values.data(), size_ * sizeof(float), cudaMemcpyHostToDevice);
}

Vector::~Vector() { cudaFree(data_); }

void Vector::scale(float factor) { scale_kernel<<<(size_ + 127) / 128, 128>>>(data_, size_, factor); }

float Vector::sum() const {
  float *device, host;
  cudaMalloc(&device, sizeof(float));
  sum_kernel<<<1, 32>>>(data_, size_, device);
  cudaMemcpy(&host, device, sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device);
  return host;
}
