// What of cuBLAS is not declared, and its relatives.

#include <cublas_v2.h>

int main() {
  cublasHandle_t handle = nullptr;
  cublasCreate(&handle);
  cublasStbsv(handle);  // of banded matrices
  cublasLtHandle_t other = nullptr;
}
