/// \file
/// OpenBLAS's functions, one name for all types. Matrices lie column by column.
#pragma once

#include <cblas.h>
#include <cmath>
#include <type_traits>

#include "simt/cublas/failure.h"

namespace simt::cublas {

/// Whether a type's numbers are pairs.
template <typename T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>;

// ---- cuBLAS's words in OpenBLAS's, or a Failure ----

/// Of real numbers there is no other conjugate.
template <typename T>
CBLAS_TRANSPOSE transpose_of(cublasOperation_t operation) {
  require(operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C);
  if (operation == CUBLAS_OP_N) return CblasNoTrans;
  return operation == CUBLAS_OP_C && kIsComplex<T> ? CblasConjTrans : CblasTrans;
}
/// What OpenBLAS calls it.
inline CBLAS_UPLO triangle_of(cublasFillMode_t mode) {
  require(mode == CUBLAS_FILL_MODE_LOWER || mode == CUBLAS_FILL_MODE_UPPER);
  return mode == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}
/// What OpenBLAS calls it.
inline CBLAS_SIDE side_of(cublasSideMode_t mode) {
  require(mode == CUBLAS_SIDE_LEFT || mode == CUBLAS_SIDE_RIGHT);
  return mode == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}
/// What OpenBLAS calls it.
inline CBLAS_DIAG diagonal_of(cublasDiagType_t type) {
  require(type == CUBLAS_DIAG_UNIT || type == CUBLAS_DIAG_NON_UNIT);
  return type == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}

// ---- numbers ----

/// Whether it is exactly 0.
inline bool is_zero(float value) {
  return value == 0;
}
/// Whether it is exactly 0.
inline bool is_zero(double value) {
  return value == 0;
}
/// Whether it is exactly 0.
template <typename Complex>
bool is_zero(const Complex& value) {
  return value.x == 0 && value.y == 0;
}

/// As BLAS compares numbers.
inline float magnitude(float value) {
  return std::fabs(value);
}
/// What the largest is found by: of a complex number the sum of its parts' magnitudes.
inline double magnitude(double value) {
  return std::fabs(value);
}
/// What the largest is found by: of a complex number the sum of its parts' magnitudes.
template <typename Complex>
auto magnitude(const Complex& value) {
  return std::fabs(value.x) + std::fabs(value.y);
}

namespace blas {

/// OpenBLAS takes complex scalars by their addresses.
inline float passed(const float& value) {
  return value;
}
/// The same.
inline double passed(const double& value) {
  return value;
}
/// The same.
inline const void* passed(const cuComplex& value) {
  return &value;
}
/// The same.
inline const void* passed(const cuDoubleComplex& value) {
  return &value;
}

/// The functions of all types: `x` is the letter in their names.
#define SIMT_BLAS(x, T)                                                                           \
  inline void axpy(int n, const T& alpha, const T* v, int incv, T* y, int incy) {                 \
    cblas_##x##axpy(n, passed(alpha), v, incv, y, incy);                                          \
  }                                                                                               \
  inline void copy(int n, const T* v, int incv, T* y, int incy) {                                 \
    cblas_##x##copy(n, v, incv, y, incy);                                                         \
  }                                                                                               \
  inline void swap(int n, T* v, int incv, T* y, int incy) {                                       \
    cblas_##x##swap(n, v, incv, y, incy);                                                         \
  }                                                                                               \
  inline void scal(int n, const T& alpha, T* v, int incv) {                                       \
    cblas_##x##scal(n, passed(alpha), v, incv);                                                   \
  }                                                                                               \
  inline void gemv(CBLAS_TRANSPOSE trans, int m, int n, const T& alpha, const T* a, int lda,      \
                   const T* v, int incv, const T& beta, T* y, int incy) {                         \
    cblas_##x##gemv(CblasColMajor, trans, m, n, passed(alpha), a, lda, v, incv, passed(beta), y,  \
                    incy);                                                                        \
  }                                                                                               \
  inline void trsv(CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, const T* a,    \
                   int lda, T* v, int incv) {                                                     \
    cblas_##x##trsv(CblasColMajor, uplo, trans, diag, n, a, lda, v, incv);                        \
  }                                                                                               \
  inline void trmv(CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n, const T* a,    \
                   int lda, T* v, int incv) {                                                     \
    cblas_##x##trmv(CblasColMajor, uplo, trans, diag, n, a, lda, v, incv);                        \
  }                                                                                               \
  inline void gemm(CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,           \
                   const T& alpha, const T* a, int lda, const T* b, int ldb, const T& beta, T* c, \
                   int ldc) {                                                                     \
    cblas_##x##gemm(CblasColMajor, transa, transb, m, n, k, passed(alpha), a, lda, b, ldb,        \
                    passed(beta), c, ldc);                                                        \
  }                                                                                               \
  inline void symm(CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, const T& alpha, const T* a,    \
                   int lda, const T* b, int ldb, const T& beta, T* c, int ldc) {                  \
    cblas_##x##symm(CblasColMajor, side, uplo, m, n, passed(alpha), a, lda, b, ldb, passed(beta), \
                    c, ldc);                                                                      \
  }                                                                                               \
  inline void syrk(CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, const T& alpha,          \
                   const T* a, int lda, const T& beta, T* c, int ldc) {                           \
    cblas_##x##syrk(CblasColMajor, uplo, trans, n, k, passed(alpha), a, lda, passed(beta), c,     \
                    ldc);                                                                         \
  }                                                                                               \
  inline void syr2k(CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, const T& alpha,         \
                    const T* a, int lda, const T* b, int ldb, const T& beta, T* c, int ldc) {     \
    cblas_##x##syr2k(CblasColMajor, uplo, trans, n, k, passed(alpha), a, lda, b, ldb,             \
                     passed(beta), c, ldc);                                                       \
  }                                                                                               \
  inline void trsm(CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,      \
                   int m, int n, const T& alpha, const T* a, int lda, T* b, int ldb) {            \
    cblas_##x##trsm(CblasColMajor, side, uplo, trans, diag, m, n, passed(alpha), a, lda, b, ldb); \
  }                                                                                               \
  inline void trmm(CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,      \
                   int m, int n, const T& alpha, const T* a, int lda, T* b, int ldb) {            \
    cblas_##x##trmm(CblasColMajor, side, uplo, trans, diag, m, n, passed(alpha), a, lda, b, ldb); \
  }
SIMT_BLAS(s, float)
SIMT_BLAS(d, double)
SIMT_BLAS(c, cuComplex)
SIMT_BLAS(z, cuDoubleComplex)
#undef SIMT_BLAS

/// Those of real numbers.
#define SIMT_BLAS_OF_REALS(x, T)                                                                \
  inline T dot(int n, const T* v, int incv, const T* y, int incy) {                             \
    return cblas_##x##dot(n, v, incv, y, incy);                                                 \
  }                                                                                             \
  inline void rot(int n, T* v, int incv, T* y, int incy, T c, T s) {                            \
    cblas_##x##rot(n, v, incv, y, incy, c, s);                                                  \
  }                                                                                             \
  inline void ger(int m, int n, T alpha, const T* v, int incv, const T* y, int incy, T* a,      \
                  int lda) {                                                                    \
    cblas_##x##ger(CblasColMajor, m, n, alpha, v, incv, y, incy, a, lda);                       \
  }                                                                                             \
  inline void symv(CBLAS_UPLO uplo, int n, T alpha, const T* a, int lda, const T* v, int incv,  \
                   T beta, T* y, int incy) {                                                    \
    cblas_##x##symv(CblasColMajor, uplo, n, alpha, a, lda, v, incv, beta, y, incy);             \
  }                                                                                             \
  inline void syr(CBLAS_UPLO uplo, int n, T alpha, const T* v, int incv, T* a, int lda) {       \
    cblas_##x##syr(CblasColMajor, uplo, n, alpha, v, incv, a, lda);                             \
  }                                                                                             \
  inline void syr2(CBLAS_UPLO uplo, int n, T alpha, const T* v, int incv, const T* y, int incy, \
                   T* a, int lda) {                                                             \
    cblas_##x##syr2(CblasColMajor, uplo, n, alpha, v, incv, y, incy, a, lda);                   \
  }
SIMT_BLAS_OF_REALS(s, float)
SIMT_BLAS_OF_REALS(d, double)
#undef SIMT_BLAS_OF_REALS

/// Those of complex numbers.
#define SIMT_BLAS_OF_COMPLEX(x, T)                                                                 \
  inline T dotu(int n, const T* v, int incv, const T* y, int incy) {                               \
    T sum = {};                                                                                    \
    cblas_##x##dotu_sub(n, v, incv, y, incy, &sum);                                                \
    return sum;                                                                                    \
  }                                                                                                \
  inline T dotc(int n, const T* v, int incv, const T* y, int incy) {                               \
    T sum = {};                                                                                    \
    cblas_##x##dotc_sub(n, v, incv, y, incy, &sum);                                                \
    return sum;                                                                                    \
  }                                                                                                \
  inline void geru(int m, int n, const T& alpha, const T* v, int incv, const T* y, int incy, T* a, \
                   int lda) {                                                                      \
    cblas_##x##geru(CblasColMajor, m, n, &alpha, v, incv, y, incy, a, lda);                        \
  }                                                                                                \
  inline void gerc(int m, int n, const T& alpha, const T* v, int incv, const T* y, int incy, T* a, \
                   int lda) {                                                                      \
    cblas_##x##gerc(CblasColMajor, m, n, &alpha, v, incv, y, incy, a, lda);                        \
  }
SIMT_BLAS_OF_COMPLEX(c, cuComplex)
SIMT_BLAS_OF_COMPLEX(z, cuDoubleComplex)
#undef SIMT_BLAS_OF_COMPLEX

/// The Euclidean norm.
inline float nrm2(int n, const float* x, int incx) {
  return cblas_snrm2(n, x, incx);
}
/// The Euclidean norm.
inline double nrm2(int n, const double* x, int incx) {
  return cblas_dnrm2(n, x, incx);
}
/// The Euclidean norm.
inline float nrm2(int n, const cuComplex* x, int incx) {
  return cblas_scnrm2(n, x, incx);
}
/// The Euclidean norm.
inline double nrm2(int n, const cuDoubleComplex* x, int incx) {
  return cblas_dznrm2(n, x, incx);
}
/// The sum of the magnitudes.
inline float asum(int n, const float* x, int incx) {
  return cblas_sasum(n, x, incx);
}
/// The sum of the magnitudes.
inline double asum(int n, const double* x, int incx) {
  return cblas_dasum(n, x, incx);
}
/// The sum of the magnitudes.
inline float asum(int n, const cuComplex* x, int incx) {
  return cblas_scasum(n, x, incx);
}
/// The sum of the magnitudes.
inline double asum(int n, const cuDoubleComplex* x, int incx) {
  return cblas_dzasum(n, x, incx);
}
/// Times a real number.
inline void scal(int n, float alpha, cuComplex* x, int incx) {
  cblas_csscal(n, alpha, x, incx);
}
/// Times a real number.
inline void scal(int n, double alpha, cuDoubleComplex* x, int incx) {
  cblas_zdscal(n, alpha, x, incx);
}

}  // namespace blas
}  // namespace simt::cublas
