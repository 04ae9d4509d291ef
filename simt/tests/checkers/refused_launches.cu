// Launches that a device refuses: the finding names the line of the launch, the value and the
// limit.

#include "simt/tests/checkers/mistakes.h"

namespace {

__global__ void fills_dynamic(float* y, unsigned n) {
  extern __shared__ float s[];
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    s[i] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}

template <typename T>
__global__ void template_fills_dynamic(T* y) {
  extern __shared__ unsigned char memory[];
  memory[threadIdx.x] = 1;
  y[threadIdx.x] = memory[threadIdx.x];
}

__global__ void overloaded(float* y) {
  *y = 1.0f;
}
__global__ void overloaded(int* y) {
  *y = 2;
}

__global__ void fills(float* y) {
  y[threadIdx.x] = 1.0f;
}

__global__ void __launch_bounds__(128) bounded(float* y) {
  y[threadIdx.x] = 1.0f;
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads, 2) bounded_by_parameter(float* y) {
  y[threadIdx.x] = 1.0f;
}

constexpr std::size_t kMuch = 64 * 1024;

}  // namespace

TEST_SUITE_BEGIN("refused_launches");

TEST_CASE_FIXTURE(Mistakes, "more than 48 KB of dynamic shared memory are not asked for before") {
  fills_dynamic<<<1, 128, kMuch>>>(y.get(), kMuch / sizeof(float));
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(mentions("refused_launches.cu:"));
  CHECK(mentions("launch of kernel fills_dynamic: 65536 bytes of dynamic shared memory"));
  CHECK(mentions("more than 49152 need cudaFuncSetAttribute"));
  CHECK(take_kinds() == "refused-launch ");
  template_fills_dynamic<float><<<1, 128, kMuch>>>(y.get());
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(take_kinds() == "refused-launch ");

  CHECK(cudaFuncSetAttribute(fills_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, kMuch) ==
        cudaSuccess);
  fills_dynamic<<<1, 128, kMuch>>>(y.get(), kMuch / sizeof(float));
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaFuncSetAttribute(template_fills_dynamic<float>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, kMuch) == cudaSuccess);
  template_fills_dynamic<float><<<1, 128, kMuch>>>(y.get());
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "a kernel that only its arguments tell from others is launched") {
  const auto numbers = zeros<int>(1);
  overloaded<<<1, 1>>>(y.get());
  overloaded<<<1, 1>>>(numbers.get());
  CHECK(y.host()[0] == 1.0f);
  CHECK(numbers.host()[0] == 2);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "blocks have too many threads") {
  fills<<<1, 1025>>>(y.get());
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(mentions("blocks of (1025,1,1) threads: they have from (1,1,1) to (1024,1024,64)"));
  CHECK(take_kinds() == "refused-launch ");
  fills<<<1, dim3(32, 33)>>>(y.get());
  CHECK(mentions("blocks of 1056 threads: they have at most 1024"));
  CHECK(take_kinds() == "refused-launch ");
  fills<<<1, 1024>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "a grid is empty, or too high") {
  fills<<<0, 32>>>(y.get());
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(mentions("a grid of (0,1,1) blocks"));
  CHECK(take_kinds() == "refused-launch ");
  fills<<<dim3(1, 65536), 32>>>(y.get());
  CHECK(mentions("a grid of (1,65536,1) blocks"));
  CHECK(take_kinds() == "refused-launch ");
}

TEST_CASE_FIXTURE(Mistakes, "a kernel gets more threads than its launch bounds allow") {
  bounded<<<1, 129>>>(y.get());
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(mentions("refused_launches.cu:"));
  CHECK(mentions("with 129 threads per block: its __launch_bounds__ allow 128"));
  CHECK(take_kinds() == "refused-launch ");
  bounded_by_parameter<64><<<1, dim3(13, 5)>>>(y.get());
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(take_kinds() == "refused-launch ");
  bounded<<<1, 128>>>(y.get());
  bounded_by_parameter<64><<<1, dim3(16, 4)>>>(y.get());
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(take_kinds().empty());
}

TEST_SUITE_END();
