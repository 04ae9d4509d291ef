// A process that is copied while another thread of it multiplies goes on to multiply, too.

#include <atomic>
#include <cstdio>
#include <cublas_v2.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr int kOrder = 256;

__global__ void fill(float* a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

float multiply(cublasHandle_t handle, const float* a, float* c) {
  const float one = 1;
  const float zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, kOrder, kOrder, kOrder, &one, a, kOrder, a, kOrder,
              &zero, c, kOrder);
  float last = 0;
  cublasGetVector(1, sizeof last, c + kOrder * kOrder - 1, 1, &last, 1);
  return last;
}

void multiply_until(const std::atomic<bool>& stop, const float* a) {
  cublasHandle_t handle = nullptr;
  float* c = nullptr;
  cublasCreate(&handle);
  cudaMalloc(&c, kOrder * kOrder * sizeof(float));
  while (!stop)
    multiply(handle, a, c);
  cudaFree(c);
  cublasDestroy(handle);
}

}  // namespace

int main() {
  float* a = nullptr;
  float* c = nullptr;
  cudaMalloc(&a, kOrder * kOrder * sizeof(float));
  cudaMalloc(&c, kOrder * kOrder * sizeof(float));
  fill<<<kOrder, kOrder>>>(a);
  cudaDeviceSynchronize();
  cublasHandle_t handle = nullptr;
  cublasCreate(&handle);
  std::atomic<bool> stop(false);
  std::thread other([&] { multiply_until(stop, a); });
  int wrong = 0;
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(multiply(handle, a, c) == kOrder ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0) ++wrong;
  }
  stop = true;
  other.join();
  std::printf("forks: %d wrong\n", wrong);
  cublasDestroy(handle);
  cudaFree(a);
  cudaFree(c);
  return wrong;
}
