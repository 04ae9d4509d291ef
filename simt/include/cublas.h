/// \file
/// cuBLAS as it was before it had handles, which old programs include by this name:
/// simt/docs/cublas.md says what of it works.
#pragma once

#define CUBLAS_H_  ///< by which other headers know that this one is there

#include "simt/include/cublas_api.h"

using cublasStatus = cublasStatus_t;

namespace simt::cublas_without_handles {

/// What cublasInit() made; null before, and after cublasShutdown().
cublasHandle_t handle();
/// What cublasGetError() tells.
void keep_error(cublasStatus_t status);

/// The words that are letters here. A wrong one becomes a value that no call takes.
SIMT_INLINE cublasOperation_t operation(char letter) {
  if (letter == 'n' || letter == 'N') return CUBLAS_OP_N;
  if (letter == 't' || letter == 'T') return CUBLAS_OP_T;
  return letter == 'c' || letter == 'C' ? CUBLAS_OP_C : CUBLAS_OP_CONJG;
}
SIMT_INLINE cublasFillMode_t triangle(char letter) {
  if (letter == 'u' || letter == 'U') return CUBLAS_FILL_MODE_UPPER;
  return letter == 'l' || letter == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_FULL;
}
SIMT_INLINE cublasDiagType_t diagonal(char letter) {
  if (letter == 'u' || letter == 'U') return CUBLAS_DIAG_UNIT;
  return letter == 'n' || letter == 'N' ? CUBLAS_DIAG_NON_UNIT : static_cast<cublasDiagType_t>(-1);
}
SIMT_INLINE cublasSideMode_t side(char letter) {
  if (letter == 'l' || letter == 'L') return CUBLAS_SIDE_LEFT;
  return letter == 'r' || letter == 'R' ? CUBLAS_SIDE_RIGHT : static_cast<cublasSideMode_t>(-1);
}

}  // namespace simt::cublas_without_handles

extern "C" {
cublasStatus_t cublasInit();
cublasStatus_t cublasShutdown();
/// The last error since it was asked for.
cublasStatus_t cublasGetError();
}

SIMT_INLINE cublasStatus_t cublasAlloc(int n, int element_bytes, void** device) {
  if (n <= 0 || element_bytes <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  const std::size_t bytes = static_cast<std::size_t>(n) * static_cast<std::size_t>(element_bytes);
  return cudaMalloc(device, bytes) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                  : CUBLAS_STATUS_ALLOC_FAILED;
}
SIMT_INLINE cublasStatus_t cublasFree(void* device) {
  return cudaFree(device) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}
SIMT_INLINE cublasStatus_t cublasSetKernelStream(cudaStream_t stream) {
  return cublasSetStream(simt::cublas_without_handles::handle(), stream);
}
SIMT_INLINE cublasStatus_t cublasGetVersion(int* version) {
  return cublasGetVersion(simt::cublas_without_handles::handle(), version);
}

// The functions that follow have their scalars by value, and tell errors by cublasGetError() alone.

#define SIMT_KEEP(function, ...)            \
  simt::cublas_without_handles::keep_error( \
      function(simt::cublas_without_handles::handle(), __VA_ARGS__))
#define SIMT_OPERATION(letter) simt::cublas_without_handles::operation(letter)
#define SIMT_TRIANGLE(letter) simt::cublas_without_handles::triangle(letter)
#define SIMT_DIAGONAL(letter) simt::cublas_without_handles::diagonal(letter)
#define SIMT_SIDE(letter) simt::cublas_without_handles::side(letter)

/// The functions of all types: `X` and `x` are the letter in their names.
#define SIMT_CUBLAS_OF(X, x, T)                                                                    \
  SIMT_INLINE void cublas##X##axpy(int n, T alpha, const T* v, int incx, T* y, int incy) {         \
    SIMT_KEEP(cublas##X##axpy, n, &alpha, v, incx, y, incy);                                       \
  }                                                                                                \
  SIMT_INLINE void cublas##X##copy(int n, const T* v, int incx, T* y, int incy) {                  \
    SIMT_KEEP(cublas##X##copy, n, v, incx, y, incy);                                               \
  }                                                                                                \
  SIMT_INLINE void cublas##X##swap(int n, T* v, int incx, T* y, int incy) {                        \
    SIMT_KEEP(cublas##X##swap, n, v, incx, y, incy);                                               \
  }                                                                                                \
  SIMT_INLINE void cublas##X##scal(int n, T alpha, T* v, int incx) {                               \
    SIMT_KEEP(cublas##X##scal, n, &alpha, v, incx);                                                \
  }                                                                                                \
  SIMT_INLINE int cublas##I##x##amax(int n, const T* v, int incx) {                                \
    int result = {};                                                                               \
    SIMT_KEEP(cublas##I##x##amax, n, v, incx, &result);                                            \
    return result;                                                                                 \
  }                                                                                                \
  SIMT_INLINE int cublas##I##x##amin(int n, const T* v, int incx) {                                \
    int result = {};                                                                               \
    SIMT_KEEP(cublas##I##x##amin, n, v, incx, &result);                                            \
    return result;                                                                                 \
  }                                                                                                \
  SIMT_INLINE void cublas##X##gemv(char trans, int m, int n, T alpha, const T* a, int lda,         \
                                   const T* v, int incx, T beta, T* y, int incy) {                 \
    SIMT_KEEP(cublas##X##gemv, SIMT_OPERATION(trans), m, n, &alpha, a, lda, v, incx, &beta, y,     \
              incy);                                                                               \
  }                                                                                                \
  SIMT_INLINE void cublas##X##trsv(char uplo, char trans, char diag, int n, const T* a, int lda,   \
                                   T* v, int incx) {                                               \
    SIMT_KEEP(cublas##X##trsv, SIMT_TRIANGLE(uplo), SIMT_OPERATION(trans), SIMT_DIAGONAL(diag), n, \
              a, lda, v, incx);                                                                    \
  }                                                                                                \
  SIMT_INLINE void cublas##X##trmv(char uplo, char trans, char diag, int n, const T* a, int lda,   \
                                   T* v, int incx) {                                               \
    SIMT_KEEP(cublas##X##trmv, SIMT_TRIANGLE(uplo), SIMT_OPERATION(trans), SIMT_DIAGONAL(diag), n, \
              a, lda, v, incx);                                                                    \
  }                                                                                                \
  SIMT_INLINE void cublas##X##gemm(char transa, char transb, int m, int n, int k, T alpha,         \
                                   const T* a, int lda, const T* b, int ldb, T beta, T* c,         \
                                   int ldc) {                                                      \
    SIMT_KEEP(cublas##X##gemm, SIMT_OPERATION(transa), SIMT_OPERATION(transb), m, n, k, &alpha, a, \
              lda, b, ldb, &beta, c, ldc);                                                         \
  }                                                                                                \
  SIMT_INLINE void cublas##X##symm(char side, char uplo, int m, int n, T alpha, const T* a,        \
                                   int lda, const T* b, int ldb, T beta, T* c, int ldc) {          \
    SIMT_KEEP(cublas##X##symm, SIMT_SIDE(side), SIMT_TRIANGLE(uplo), m, n, &alpha, a, lda, b, ldb, \
              &beta, c, ldc);                                                                      \
  }                                                                                                \
  SIMT_INLINE void cublas##X##syrk(char uplo, char trans, int n, int k, T alpha, const T* a,       \
                                   int lda, T beta, T* c, int ldc) {                               \
    SIMT_KEEP(cublas##X##syrk, SIMT_TRIANGLE(uplo), SIMT_OPERATION(trans), n, k, &alpha, a, lda,   \
              &beta, c, ldc);                                                                      \
  }                                                                                                \
  SIMT_INLINE void cublas##X##syr2k(char uplo, char trans, int n, int k, T alpha, const T* a,      \
                                    int lda, const T* b, int ldb, T beta, T* c, int ldc) {         \
    SIMT_KEEP(cublas##X##syr2k, SIMT_TRIANGLE(uplo), SIMT_OPERATION(trans), n, k, &alpha, a, lda,  \
              b, ldb, &beta, c, ldc);                                                              \
  }                                                                                                \
  SIMT_INLINE void cublas##X##trsm(char side, char uplo, char trans, char diag, int m, int n,      \
                                   T alpha, const T* a, int lda, T* b, int ldb) {                  \
    SIMT_KEEP(cublas##X##trsm, SIMT_SIDE(side), SIMT_TRIANGLE(uplo), SIMT_OPERATION(trans),        \
              SIMT_DIAGONAL(diag), m, n, &alpha, a, lda, b, ldb);                                  \
  }                                                                                                \
  SIMT_INLINE void cublas##X##trmm(char side, char uplo, char trans, char diag, int m, int n,      \
                                   T alpha, const T* a, int lda, T* b, int ldb) {                  \
    SIMT_KEEP(cublas##X##trmm, SIMT_SIDE(side), SIMT_TRIANGLE(uplo), SIMT_OPERATION(trans),        \
              SIMT_DIAGONAL(diag), m, n, &alpha, a, lda, b, ldb, b, ldb);                          \
  }

SIMT_CUBLAS_OF(S, s, float)
SIMT_CUBLAS_OF(D, d, double)
SIMT_CUBLAS_OF(C, c, cuComplex)
SIMT_CUBLAS_OF(Z, z, cuDoubleComplex)
#undef SIMT_CUBLAS_OF

/// Those of real numbers.
#define SIMT_CUBLAS_OF_REAL(X, T)                                                                \
  SIMT_INLINE T cublas##X##dot(int n, const T* v, int incx, const T* y, int incy) {              \
    T result = {};                                                                               \
    SIMT_KEEP(cublas##X##dot, n, v, incx, y, incy, &result);                                     \
    return result;                                                                               \
  }                                                                                              \
  SIMT_INLINE void cublas##X##rot(int n, T* v, int incx, T* y, int incy, T c, T s) {             \
    SIMT_KEEP(cublas##X##rot, n, v, incx, y, incy, &c, &s);                                      \
  }                                                                                              \
  SIMT_INLINE void cublas##X##ger(int m, int n, T alpha, const T* v, int incx, const T* y,       \
                                  int incy, T* a, int lda) {                                     \
    SIMT_KEEP(cublas##X##ger, m, n, &alpha, v, incx, y, incy, a, lda);                           \
  }                                                                                              \
  SIMT_INLINE void cublas##X##symv(char uplo, int n, T alpha, const T* a, int lda, const T* v,   \
                                   int incx, T beta, T* y, int incy) {                           \
    SIMT_KEEP(cublas##X##symv, SIMT_TRIANGLE(uplo), n, &alpha, a, lda, v, incx, &beta, y, incy); \
  }

SIMT_CUBLAS_OF_REAL(S, float)
SIMT_CUBLAS_OF_REAL(D, double)
#undef SIMT_CUBLAS_OF_REAL

/// Those of complex numbers.
#define SIMT_CUBLAS_OF_COMPLEX(X, T)                                                 \
  SIMT_INLINE T cublas##X##dotu(int n, const T* v, int incx, const T* y, int incy) { \
    T result = {};                                                                   \
    SIMT_KEEP(cublas##X##dotu, n, v, incx, y, incy, &result);                        \
    return result;                                                                   \
  }                                                                                  \
  SIMT_INLINE T cublas##X##dotc(int n, const T* v, int incx, const T* y, int incy) { \
    T result = {};                                                                   \
    SIMT_KEEP(cublas##X##dotc, n, v, incx, y, incy, &result);                        \
    return result;                                                                   \
  }

SIMT_CUBLAS_OF_COMPLEX(C, cuComplex)
SIMT_CUBLAS_OF_COMPLEX(Z, cuDoubleComplex)
#undef SIMT_CUBLAS_OF_COMPLEX

/// Those with a real result.
#define SIMT_CUBLAS_NORMS(X, T, Real)                             \
  SIMT_INLINE Real cublas##X##nrm2(int n, const T* v, int incx) { \
    Real result = {};                                             \
    SIMT_KEEP(cublas##X##nrm2, n, v, incx, &result);              \
    return result;                                                \
  }                                                               \
  SIMT_INLINE Real cublas##X##asum(int n, const T* v, int incx) { \
    Real result = {};                                             \
    SIMT_KEEP(cublas##X##asum, n, v, incx, &result);              \
    return result;                                                \
  }

SIMT_CUBLAS_NORMS(S, float, float)
SIMT_CUBLAS_NORMS(D, double, double)
SIMT_CUBLAS_NORMS(Sc, cuComplex, float)
SIMT_CUBLAS_NORMS(Dz, cuDoubleComplex, double)
#undef SIMT_CUBLAS_NORMS

#undef SIMT_KEEP
#undef SIMT_OPERATION
#undef SIMT_TRIANGLE
#undef SIMT_DIAGONAL
#undef SIMT_SIDE
