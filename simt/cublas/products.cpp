// Products of general matrices, all of one type.

#include "simt/cublas/products.h"

#include "simt/cublas/entry.h"

namespace simt::cublas {

void check(const Products& of) {
  transpose_of<float>(of.transa);
  transpose_of<float>(of.transb);
  require(of.m >= 0 && of.n >= 0 && of.k >= 0 && of.count >= 0);
  Matrix<float>::before(of.transa, nullptr, of.m, of.k, of.lda);
  Matrix<float>::before(of.transb, nullptr, of.k, of.n, of.ldb);
  Matrix<float>(nullptr, of.m, of.n, of.ldc);
}

}  // namespace simt::cublas

using namespace simt::cublas;

#define SIMT_OF(X, T)                                                                             \
  cublasStatus_t cublas##X##gemm(cublasHandle_t handle, cublasOperation_t transa,                 \
                                 cublasOperation_t transb, int m, int n, int k, const T* alpha,   \
                                 const T* a, int lda, const T* b, int ldb, const T* beta, T* c,   \
                                 int ldc)                                                         \
      SIMT_CUBLAS_CALL(cublas##X##gemm,                                                           \
                       (multiply_strided<T, T>(call, {transa, transb, m, n, k, lda, ldb, ldc},    \
                                               alpha, {a}, {b}, beta, {c})))                      \
          cublasStatus_t cublas##X##gemmBatched(                                                  \
              cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,   \
              int n, int k, const T* alpha, const T* const a[], int lda, const T* const b[],      \
              int ldb, const T* beta, T* const c[], int ldc, int batch)                           \
              SIMT_CUBLAS_CALL(                                                                   \
                  cublas##X##gemmBatched,                                                         \
                  (multiply_batch<T, T>(call, {transa, transb, m, n, k, lda, ldb, ldc, batch},    \
                                        alpha, a, b, beta, c)))                                   \
                  cublasStatus_t cublas##X##gemmStridedBatched(                                   \
                      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,  \
                      int m, int n, int k, const T* alpha, const T* a, int lda,                   \
                      long long stride_a, const T* b, int ldb, long long stride_b, const T* beta, \
                      T* c, int ldc, long long stride_c, int batch)                               \
                      SIMT_CUBLAS_CALL(                                                           \
                          cublas##X##gemmStridedBatched,                                          \
                          (multiply_strided<T, T>(                                                \
                              call, {transa, transb, m, n, k, lda, ldb, ldc, batch}, alpha,       \
                              {a, stride_a}, {b, stride_b}, beta, {c, stride_c})))
SIMT_OF(S, float)
SIMT_OF(D, double)
SIMT_OF(C, cuComplex)
SIMT_OF(Z, cuDoubleComplex)
SIMT_OF(H, __half)
