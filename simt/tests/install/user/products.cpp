#include <cstdio>
#include <cublas_v2.h>

int main() {
  double* number = nullptr;
  cudaMalloc(&number, sizeof(double));
  double value = 2;
  cublasSetVector(1, sizeof value, &value, 1, number, 1);
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  const double three = 3;
  cublasDscal(handle, 1, &three, number, 1);
  cublasGetVector(1, sizeof value, number, 1, &value, 1);
  std::printf("3 times 2: %g\n", value);
  cublasDestroy(handle);
  cudaFree(number);
}
