// What a call of cuBLAS's cannot do, or not here: each says so, by its status and in a finding.

#include <cstdio>
#include <cublas_v2.h>

int main() {
  constexpr int kN = 8;
  float* a = nullptr;
  float* b = nullptr;
  float* c = nullptr;
  cudaMalloc(&a, kN * kN * sizeof(float));
  cudaMalloc(&b, kN * kN * sizeof(float));
  cudaMalloc(&c, kN * kN * sizeof(float));
  cudaMemset(a, 0, kN * kN * sizeof(float));
  float of_host[kN * kN] = {};
  const float one = 1, zero = 0;
  cublasHandle_t handle = nullptr;
  cublasCreate(&handle);

  const auto multiply = [&](int n, const float* alpha, const float* left, const float* right,
                            int ldc) {
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, alpha, left, n, right, n, &zero, c,
                       ldc);
  };
  std::printf("negative: %d\n", multiply(-1, &one, a, a, kN));
  std::printf("too small an ld: %d\n", multiply(kN, &one, a, a, kN - 1));
  std::printf("no alpha: %d\n", multiply(kN, nullptr, a, a, kN));
  std::printf("unwritten: %d\n", multiply(kN, &one, a, b, kN));
  std::printf("too large: %d\n", multiply(kN + 1, &one, a, a, kN + 1));
  std::printf("of the host: %d\n", multiply(kN, &one, a, of_host, kN));
  std::printf("alpha of the device: %d\n", multiply(kN, a, a, a, kN));
  float sum = 0;
  std::printf("past the end: %d\n", cublasSdot(handle, kN, a, 1, a + kN * kN - 4, 2, &sum));
  std::printf("no increment: %d\n", cublasSgemv(handle, CUBLAS_OP_N, kN, kN, &one, a, kN, a, 0,
                                                &zero, c, 1));
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  std::printf("result of the host: %d\n", cublasSnrm2(handle, kN, a, 1, &sum));
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  std::printf("integers: %d\n",
              cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kN, kN, kN, &one, a, CUDA_R_8I, kN, a,
                           CUDA_R_8I, kN, &zero, c, CUDA_R_32I, kN, CUBLAS_COMPUTE_32I,
                           CUBLAS_GEMM_DEFAULT));
  std::printf("types: %d\n",
              cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kN, kN, kN, &one, a, CUDA_R_32F, kN, a,
                           CUDA_R_16F, kN, &zero, c, CUDA_R_32F, kN, CUBLAS_COMPUTE_32F,
                           CUBLAS_GEMM_DEFAULT));
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cublasSetStream(handle, stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  std::printf("captured: %d\n", multiply(kN, &one, a, a, kN));
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);

  cublasDestroy(handle);
  const cublasStatus_t destroyed = multiply(kN, &one, a, a, kN);
  std::printf("destroyed: %d %s, %s\n", destroyed, cublasGetStatusName(destroyed),
              cublasGetStatusString(destroyed));
  for (float* each : {a, b, c})
    cudaFree(each);
}
