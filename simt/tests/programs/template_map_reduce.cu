// Kernels as templates over operators: function objects, lambdas, template arguments with commas,
// a macro that launches, and a table of kernels.

#include <algorithm>
#include <cstdio>
#include <limits>
#include <vector>

namespace algorithms {

template <typename T>
struct Sum {
  static constexpr T identity = T(0);
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
};

template <typename T>
struct Max {
  static constexpr T identity = std::numeric_limits<T>::lowest();
  __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

template <typename T, template <typename> class Op, int kThreads>
__global__ void reduce(const T *__restrict__ in, T *__restrict__ out, int n) {
  __shared__ T partial[kThreads];
  const Op<T> op{};
  T value = Op<T>::identity;
  for (int i = threadIdx.x; i < n; i += kThreads) value = op(value, in[i]);
  partial[threadIdx.x] = value;
#pragma unroll
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) partial[threadIdx.x] = op(partial[threadIdx.x], partial[threadIdx.x + stride]);
  }
  if (threadIdx.x == 0) *out = partial[0];
}

template <typename T, typename F>
__global__ void transform(T *data, int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = f(data[i]);
}

}  // namespace algorithms

struct Scale {
  float factor;
  __device__ float operator()(float x) const { return factor * x; }
};

extern "C" __global__ void add_one(float *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1.0f;
}
__global__ void negate(float *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = -data[i];
}

#define LAUNCH(kernel, n, ...) kernel<<<((n) + 127) / 128, 128>>>(__VA_ARGS__)

template <template <typename> class Op>
static float reduce_on_device(const float *data, int n) {
  float *d_out, out;
  cudaMalloc(&d_out, sizeof(float));
  algorithms::reduce<float, Op, 128>
      <<<1,
         128>>>(data, d_out, n);
  cudaMemcpy(&out, d_out, sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_out);
  return out;
}

int main() {
  const int n = 1000;
  std::vector<float> data(n);
  for (int i = 0; i < n; ++i) data[i] = static_cast<float>(i % 10);
  float *d;
  cudaMalloc(&d, n * sizeof(float));
  cudaMemcpy(d, data.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  const float sum = reduce_on_device<algorithms::Sum>(d, n);
  const float largest = reduce_on_device<algorithms::Max>(d, n);
  algorithms::transform<float, Scale><<<(n + 127) / 128, 128>>>(d, n, Scale{2.0f});
  LAUNCH(add_one, n, d, n);
  void (*const kernels[])(float *, int) = {add_one, negate};
  for (auto kernel : kernels) kernel<<<dim3((n + 63) / 64), dim3(64)>>>(d, n);
  const float scaled = reduce_on_device<algorithms::Max>(d, n);
  cudaFree(d);
  printf("sum %g, max %g, then %g\n", sum, largest, scaled);
  return sum == 4500.0f && largest == 9.0f && scaled == -2.0f ? 0 : 1;
}
