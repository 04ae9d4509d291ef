// What programs of the collections ask of cuBLAS beside their own kernels: handles and modes, which
// do nothing, and products of single precision, computed by the host on copies. Not fast, not
// counted, and no cuBLAS: anything else is declared, if a program needs the name, and answers that
// it is not supported.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

using cublasHandle_t = struct cublasContext*;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_SUPPORTED = 15 };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasMath_t { CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH = 3 };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1 };

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}

inline cublasStatus_t cublasDestroy(cublasHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}

inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return CUBLAS_STATUS_SUCCESS;
}

namespace cublas_stand_in {

/// A matrix of `columns` columns, each of `rows` numbers, whose beginnings lie `stride` apart.
struct Matrix {
  std::vector<float> values;
  std::size_t stride;
  bool transposed;

  Matrix(const float* device, int rows, int columns, int stride, cublasOperation_t operation)
      : values(static_cast<std::size_t>(stride) * (columns - 1) + rows),
        stride(stride),
        transposed(operation == CUBLAS_OP_T) {
    cudaMemcpy(values.data(), device, values.size() * sizeof(float), cudaMemcpyDefault);
  }

  float operator()(int row, int column) const {
    return transposed ? values[row * stride + column] : values[column * stride + row];
  }
};

}  // namespace cublas_stand_in

/// C = alpha op(A) op(B) + beta C, all stored by columns.
inline cublasStatus_t cublasSgemm(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b,
                                  int m, int n, int k, const float* alpha, const float* a, int lda,
                                  const float* b, int ldb, const float* beta, float* c, int ldc) {
  using cublas_stand_in::Matrix;
  const bool a_flips = op_a == CUBLAS_OP_T, b_flips = op_b == CUBLAS_OP_T;
  const Matrix left(a, a_flips ? k : m, a_flips ? m : k, lda, op_a);
  const Matrix right(b, b_flips ? n : k, b_flips ? k : n, ldb, op_b);
  std::vector<float> column(m);
  for (int j = 0; j < n; ++j) {
    float* const target = c + static_cast<std::size_t>(j) * ldc;
    if (*beta != 0) cudaMemcpy(column.data(), target, m * sizeof(float), cudaMemcpyDefault);
    for (int i = 0; i < m; ++i) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += left(i, l) * right(l, j);
      column[i] = *alpha * sum + (*beta != 0 ? *beta * column[i] : 0.0f);
    }
    cudaMemcpy(target, column.data(), m * sizeof(float), cudaMemcpyDefault);
  }
  return CUBLAS_STATUS_SUCCESS;
}

inline cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                                cublasOperation_t op_b, int m, int n, int k,
                                                const float* alpha, const float* a, int lda,
                                                long long stride_a, const float* b, int ldb,
                                                long long stride_b, const float* beta, float* c,
                                                int ldc, long long stride_c, int batch) {
  for (int i = 0; i < batch; ++i)
    cublasSgemm(handle, op_a, op_b, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb,
                beta, c + i * stride_c, ldc);
  return CUBLAS_STATUS_SUCCESS;
}

/// y = alpha op(A) x + beta y, of vectors without gaps.
inline cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                                  const float* alpha, const float* a, int lda, const float* x,
                                  int incx, const float* beta, float* y, int incy) {
  if (incx != 1 || incy != 1) return CUBLAS_STATUS_NOT_SUPPORTED;
  const int rows = op == CUBLAS_OP_T ? n : m, inner = op == CUBLAS_OP_T ? m : n;
  return cublasSgemm(handle, op, CUBLAS_OP_N, rows, 1, inner, alpha, a, lda, x, inner, beta, y,
                     rows);
}

inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t,
                                                 cublasOperation_t, int, int, int, const void*,
                                                 const void*, cudaDataType_t, int, long long,
                                                 const void*, cudaDataType_t, int, long long,
                                                 const void*, void*, cudaDataType_t, int, long long,
                                                 int, cublasComputeType_t, cublasGemmAlgo_t) {
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
