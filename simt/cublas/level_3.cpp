// Matrices with matrices, but for general products.

#include "simt/cublas/entry.h"
#include "simt/cublas/openblas.h"

namespace simt::cublas {
namespace {

/// C = alpha * ... + beta * C reads C unless beta is 0.
template <typename T, typename Operand>
void scales(Call& call, const T& beta, const Operand& operand) {
  if (!is_zero(beta)) call.reads(operand);
  call.writes(operand);
}

template <typename T>
void symm(Call& call, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T* alpha,
          const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  const CBLAS_SIDE where = side_of(side);
  const Triangle triangle(a, uplo, CUBLAS_DIAG_NON_UNIT, where == CblasLeft ? m : n, lda);
  const Matrix other(b, m, n, ldb);
  const Matrix result(c, m, n, ldc);
  if (m == 0 || n == 0) return;
  const T factor = call.scalar(alpha);
  const T of_c = call.scalar(beta);
  if (!is_zero(factor)) {
    call.reads(triangle);
    call.reads(other);
  }
  scales(call, of_c, result);
  blas::symm(where, triangle_of(uplo), m, n, factor, a, lda, b, ldb, of_c, c, ldc);
}

/// A symmetric product has no conjugate transpose.
template <typename T>
CBLAS_TRANSPOSE symmetric_transpose_of(cublasOperation_t trans) {
  require(!kIsComplex<T> || trans != CUBLAS_OP_C);
  return transpose_of<T>(trans);
}

template <typename T>
void syrk(Call& call, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T* alpha,
          const T* a, int lda, const T* beta, T* c, int ldc) {
  const CBLAS_TRANSPOSE transpose = symmetric_transpose_of<T>(trans);
  require(n >= 0 && k >= 0);
  const auto matrix = Matrix<T>::before(trans, a, n, k, lda);
  const Triangle result(c, uplo, CUBLAS_DIAG_NON_UNIT, n, ldc);
  if (n == 0) return;
  const T factor = call.scalar(alpha);
  const T of_c = call.scalar(beta);
  if (k > 0 && !is_zero(factor)) call.reads(matrix);
  scales(call, of_c, result);
  blas::syrk(triangle_of(uplo), transpose, n, k, factor, a, lda, of_c, c, ldc);
}

template <typename T>
void syr2k(Call& call, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T* alpha,
           const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  const CBLAS_TRANSPOSE transpose = symmetric_transpose_of<T>(trans);
  require(n >= 0 && k >= 0);
  const auto left = Matrix<T>::before(trans, a, n, k, lda);
  const auto right = Matrix<T>::before(trans, b, n, k, ldb);
  const Triangle result(c, uplo, CUBLAS_DIAG_NON_UNIT, n, ldc);
  if (n == 0) return;
  const T factor = call.scalar(alpha);
  const T of_c = call.scalar(beta);
  if (k > 0 && !is_zero(factor)) {
    call.reads(left);
    call.reads(right);
  }
  scales(call, of_c, result);
  blas::syr2k(triangle_of(uplo), transpose, n, k, factor, a, lda, b, ldb, of_c, c, ldc);
}

template <typename T>
void trsm(Call& call, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
          cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, T* b, int ldb) {
  const CBLAS_SIDE where = side_of(side);
  const CBLAS_TRANSPOSE transpose = transpose_of<T>(trans);
  const Triangle triangle(a, uplo, diag, where == CblasLeft ? m : n, lda);
  const Matrix solved(b, m, n, ldb);
  if (m == 0 || n == 0) return;
  const T factor = call.scalar(alpha);
  if (!is_zero(factor)) call.reads(triangle);
  scales(call, factor, solved);
  blas::trsm(where, triangle_of(uplo), transpose, diagonal_of(diag), m, n, factor, a, lda, b, ldb);
}

template <typename T>
void copy_matrix(int rows, int columns, const T* from, int from_ld, T* to, int to_ld) {
  for (std::ptrdiff_t column = 0; column < columns; ++column)
    std::copy_n(from + column * from_ld, rows, to + column * to_ld);
}

/// cuBLAS's has its result in a third matrix, or in place.
template <typename T>
void trmm(Call& call, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
          cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, const T* b,
          int ldb, T* c, int ldc) {
  const CBLAS_SIDE where = side_of(side);
  const CBLAS_TRANSPOSE transpose = transpose_of<T>(trans);
  const Triangle triangle(a, uplo, diag, where == CblasLeft ? m : n, lda);
  const Matrix other(b, m, n, ldb);
  const Matrix result(c, m, n, ldc);
  require(b != c || ldb == ldc);
  if (m == 0 || n == 0) return;
  const T factor = call.scalar(alpha);
  if (!is_zero(factor)) {
    call.reads(triangle);
    call.reads(other);
  }
  call.writes(result);
  if (b != c && !is_zero(factor)) copy_matrix(m, n, b, ldb, c, ldc);
  blas::trmm(where, triangle_of(uplo), transpose, diagonal_of(diag), m, n, factor, a, lda, c, ldc);
}

// ---- what BLAS does not have ----

template <typename Real>
Real product(Real a, Real b) {
  return a * b;
}
cuComplex product(const cuComplex& a, const cuComplex& b) {
  return cuCmulf(a, b);
}
cuDoubleComplex product(const cuDoubleComplex& a, const cuDoubleComplex& b) {
  return cuCmul(a, b);
}

template <typename Real>
Real sum(Real a, Real b) {
  return a + b;
}
cuComplex sum(const cuComplex& a, const cuComplex& b) {
  return cuCaddf(a, b);
}
cuDoubleComplex sum(const cuDoubleComplex& a, const cuDoubleComplex& b) {
  return cuCadd(a, b);
}

/// An element of what an operation makes of a matrix.
template <typename T>
T element(cublasOperation_t operation, const T* a, int lda, std::ptrdiff_t row,
          std::ptrdiff_t column) {
  if (operation == CUBLAS_OP_N) return a[row + column * lda];
  T value = a[column + row * lda];
  if constexpr (kIsComplex<T>) {
    if (operation == CUBLAS_OP_C) value.y = -value.y;
  }
  return value;
}

template <typename T>
void geam(Call& call, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
          const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
  transpose_of<T>(transa);
  transpose_of<T>(transb);
  const Matrix result(c, m, n, ldc);
  const auto left = Matrix<T>::before(transa, a, m, n, lda);
  const auto right = Matrix<T>::before(transb, b, m, n, ldb);
  require(c != a || (transa == CUBLAS_OP_N && lda == ldc));
  require(c != b || (transb == CUBLAS_OP_N && ldb == ldc));
  if (m == 0 || n == 0) return;
  const T of_a = call.scalar(alpha);
  const T of_b = call.scalar(beta);
  if (!is_zero(of_a)) call.reads(left);
  if (!is_zero(of_b)) call.reads(right);
  call.writes(result);
  for (std::ptrdiff_t column = 0; column < n; ++column) {
    for (std::ptrdiff_t row = 0; row < m; ++row) {
      T value = {};
      if (!is_zero(of_a)) value = product(of_a, element(transa, a, lda, row, column));
      if (!is_zero(of_b)) value = sum(value, product(of_b, element(transb, b, ldb, row, column)));
      c[row + column * ldc] = value;
    }
  }
}

template <typename T>
void dgmm(Call& call, cublasSideMode_t side, int m, int n, const T* a, int lda, const T* x,
          int incx, T* c, int ldc) {
  const bool scales_rows = side_of(side) == CblasLeft;
  const Matrix matrix(a, m, n, lda);
  const Matrix result(c, m, n, ldc);
  require(c != a || lda == ldc);
  if (m == 0 || n == 0) return;
  const int length = scales_rows ? m : n;
  call.reads(matrix);
  call.reads(Vector(x, length, incx));
  call.writes(result);
  const T* first = incx < 0 ? x - static_cast<std::ptrdiff_t>(length - 1) * incx : x;
  for (std::ptrdiff_t column = 0; column < n; ++column) {
    for (std::ptrdiff_t row = 0; row < m; ++row) {
      const T factor = first[(scales_rows ? row : column) * incx];
      c[row + column * ldc] = product(a[row + column * lda], factor);
    }
  }
}

}  // namespace
}  // namespace simt::cublas

using namespace simt::cublas;

#define SIMT_OF(X, T)                                                                              \
  cublasStatus_t cublas##X##symm(                                                                  \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,           \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c,               \
      int ldc) SIMT_CUBLAS_CALL(cublas##X##symm,                                                   \
                                symm(call, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)) \
      cublasStatus_t cublas##X##syrk(                                                              \
          cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,     \
          const T* alpha, const T* a, int lda, const T* beta, T* c,                                \
          int ldc) SIMT_CUBLAS_CALL(cublas##X##syrk,                                               \
                                    syrk(call, uplo, trans, n, k, alpha, a, lda, beta, c, ldc))    \
          cublasStatus_t cublas##X##syr2k(                                                         \
              cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
              const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c,       \
              int ldc) SIMT_CUBLAS_CALL(cublas##X##syr2k, syr2k(call, uplo, trans, n, k, alpha, a, \
                                                                lda, b, ldb, beta, c, ldc))        \
              cublasStatus_t cublas##X##trsm(cublasHandle_t handle, cublasSideMode_t side,         \
                                             cublasFillMode_t uplo, cublasOperation_t trans,       \
                                             cublasDiagType_t diag, int m, int n, const T* alpha,  \
                                             const T* a, int lda, T* b, int ldb)                   \
                  SIMT_CUBLAS_CALL(cublas##X##trsm, trsm(call, side, uplo, trans, diag, m, n,      \
                                                         alpha, a, lda, b, ldb))                   \
                      cublasStatus_t cublas##X##trmm(                                              \
                          cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,     \
                          cublasOperation_t trans, cublasDiagType_t diag, int m, int n,            \
                          const T* alpha, const T* a, int lda, const T* b, int ldb, T* c,          \
                          int ldc) SIMT_CUBLAS_CALL(cublas##X##trmm,                               \
                                                    trmm(call, side, uplo, trans, diag, m, n,      \
                                                         alpha, a, lda, b, ldb, c, ldc))           \
                          cublasStatus_t cublas##X##geam(                                          \
                              cublasHandle_t handle, cublasOperation_t transa,                     \
                              cublasOperation_t transb, int m, int n, const T* alpha, const T* a,  \
                              int lda, const T* beta, const T* b, int ldb, T* c,                   \
                              int ldc) SIMT_CUBLAS_CALL(cublas##X##geam,                           \
                                                        geam(call, transa, transb, m, n, alpha, a, \
                                                             lda, beta, b, ldb, c, ldc))           \
                              cublasStatus_t cublas##X##dgmm(                                      \
                                  cublasHandle_t handle, cublasSideMode_t side, int m, int n,      \
                                  const T* a, int lda, const T* v, int incx, T* c, int ldc)        \
                                  SIMT_CUBLAS_CALL(cublas##X##dgmm, dgmm(call, side, m, n, a, lda, \
                                                                         v, incx, c, ldc))
SIMT_OF(S, float)
SIMT_OF(D, double)
SIMT_OF(C, cuComplex)
SIMT_OF(Z, cuDoubleComplex)
