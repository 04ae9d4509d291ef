// Matrices with vectors.

#include "simt/cublas/entry.h"
#include "simt/cublas/openblas.h"

namespace simt::cublas {
namespace {

/// y = alpha * ... + beta * y reads y unless beta is 0.
template <typename T, typename Operand>
void scales(Call& call, const T& beta, const Operand& operand) {
  if (!is_zero(beta)) call.reads(operand);
  call.writes(operand);
}

template <typename T>
void gemv(Call& call, cublasOperation_t trans, int m, int n, const T* alpha, const T* a, int lda,
          const T* x, int incx, const T* beta, T* y, int incy) {
  const CBLAS_TRANSPOSE transpose = transpose_of<T>(trans);
  const Matrix matrix(a, m, n, lda);
  require(incx != 0 && incy != 0);
  if (m == 0 || n == 0) return;
  const T factor = call.scalar(alpha);
  const T of_y = call.scalar(beta);
  const bool as_it_is = trans == CUBLAS_OP_N;
  if (!is_zero(factor)) {
    call.reads(matrix);
    call.reads(Vector(x, as_it_is ? n : m, incx));
  }
  scales(call, of_y, Vector(y, as_it_is ? m : n, incy));
  blas::gemv(transpose, m, n, factor, a, lda, x, incx, of_y, y, incy);
}

/// `solve` is OpenBLAS's function for one triangle and a vector.
template <typename T, typename Solve>
void of_triangle(Call& call, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                 int n, const T* a, int lda, T* x, int incx, Solve solve) {
  const Triangle triangle(a, uplo, diag, n, lda);
  const CBLAS_TRANSPOSE transpose = transpose_of<T>(trans);
  require(incx != 0);
  if (n == 0) return;
  call.reads(triangle);
  call.updates(Vector(x, n, incx));
  solve(triangle_of(uplo), transpose, diagonal_of(diag), n, a, lda, x, incx);
}

template <typename T>
void symv(Call& call, cublasFillMode_t uplo, int n, const T* alpha, const T* a, int lda, const T* x,
          int incx, const T* beta, T* y, int incy) {
  const Triangle triangle(a, uplo, CUBLAS_DIAG_NON_UNIT, n, lda);
  require(incx != 0 && incy != 0);
  if (n == 0) return;
  const T factor = call.scalar(alpha);
  const T of_y = call.scalar(beta);
  if (!is_zero(factor)) {
    call.reads(triangle);
    call.reads(Vector(x, n, incx));
  }
  scales(call, of_y, Vector(y, n, incy));
  blas::symv(triangle_of(uplo), n, factor, a, lda, x, incx, of_y, y, incy);
}

/// `add` is one of OpenBLAS's functions that add the product of a column and a row.
template <typename T, typename Add>
void ger(Call& call, int m, int n, const T* alpha, const T* x, int incx, const T* y, int incy, T* a,
         int lda, Add add) {
  const Matrix matrix(a, m, n, lda);
  require(incx != 0 && incy != 0);
  if (m == 0 || n == 0) return;
  const T factor = call.scalar(alpha);
  if (is_zero(factor)) return;
  call.reads(Vector(x, m, incx));
  call.reads(Vector(y, n, incy));
  call.updates(matrix);
  add(m, n, factor, x, incx, y, incy, a, lda);
}

template <typename T>
void syr(Call& call, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx, T* a,
         int lda) {
  const Triangle triangle(a, uplo, CUBLAS_DIAG_NON_UNIT, n, lda);
  require(incx != 0);
  if (n == 0) return;
  const T factor = call.scalar(alpha);
  if (is_zero(factor)) return;
  call.reads(Vector(x, n, incx));
  call.updates(triangle);
  blas::syr(triangle_of(uplo), n, factor, x, incx, a, lda);
}

template <typename T>
void syr2(Call& call, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx,
          const T* y, int incy, T* a, int lda) {
  const Triangle triangle(a, uplo, CUBLAS_DIAG_NON_UNIT, n, lda);
  require(incx != 0 && incy != 0);
  if (n == 0) return;
  const T factor = call.scalar(alpha);
  if (is_zero(factor)) return;
  call.reads(Vector(x, n, incx));
  call.reads(Vector(y, n, incy));
  call.updates(triangle);
  blas::syr2(triangle_of(uplo), n, factor, x, incx, y, incy, a, lda);
}

#define SIMT_BLAS(name) [](const auto&... arguments) { blas::name(arguments...); }

}  // namespace
}  // namespace simt::cublas

using namespace simt::cublas;

#define SIMT_OF(X, T)                                                                            \
  cublasStatus_t cublas##X##gemv(                                                                \
      cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha, const T* a,  \
      int lda, const T* v, int incx, const T* beta, T* y,                                        \
      int incy) SIMT_CUBLAS_CALL(cublas##X##gemv,                                                \
                                 gemv(call, trans, m, n, alpha, a, lda, v, incx, beta, y, incy)) \
      cublasStatus_t cublas##X##trsv(cublasHandle_t handle, cublasFillMode_t uplo,               \
                                     cublasOperation_t trans, cublasDiagType_t diag, int n,      \
                                     const T* a, int lda, T* v, int incx)                        \
          SIMT_CUBLAS_CALL(cublas##X##trsv, of_triangle(call, uplo, trans, diag, n, a, lda, v,   \
                                                        incx, SIMT_BLAS(trsv)))                  \
              cublasStatus_t cublas##X##trmv(cublasHandle_t handle, cublasFillMode_t uplo,       \
                                             cublasOperation_t trans, cublasDiagType_t diag,     \
                                             int n, const T* a, int lda, T* v, int incx)         \
                  SIMT_CUBLAS_CALL(cublas##X##trmv, of_triangle(call, uplo, trans, diag, n, a,   \
                                                                lda, v, incx, SIMT_BLAS(trmv)))
SIMT_OF(S, float)
SIMT_OF(D, double)
SIMT_OF(C, cuComplex)
SIMT_OF(Z, cuDoubleComplex)

#define SIMT_GER(X, name, T)                                                                      \
  cublasStatus_t cublas##X##name(cublasHandle_t handle, int m, int n, const T* alpha, const T* v, \
                                 int incx, const T* y, int incy, T* a, int lda)                   \
      SIMT_CUBLAS_CALL(cublas##X##name,                                                           \
                       ger(call, m, n, alpha, v, incx, y, incy, a, lda, SIMT_BLAS(name)))
SIMT_GER(S, ger, float)
SIMT_GER(D, ger, double)
SIMT_GER(C, geru, cuComplex)
SIMT_GER(Z, geru, cuDoubleComplex)
SIMT_GER(C, gerc, cuComplex)
SIMT_GER(Z, gerc, cuDoubleComplex)

#define SIMT_OF_REAL(X, T)                                                                     \
  cublasStatus_t cublas##X##symv(cublasHandle_t handle, cublasFillMode_t uplo, int n,          \
                                 const T* alpha, const T* a, int lda, const T* v, int incx,    \
                                 const T* beta, T* y, int incy)                                \
      SIMT_CUBLAS_CALL(cublas##X##symv,                                                        \
                       symv(call, uplo, n, alpha, a, lda, v, incx, beta, y, incy))             \
          cublasStatus_t cublas##X##syr(cublasHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        const T* alpha, const T* v, int incx, T* a, int lda)   \
              SIMT_CUBLAS_CALL(cublas##X##syr, syr(call, uplo, n, alpha, v, incx, a, lda))     \
                  cublasStatus_t cublas##X##syr2(cublasHandle_t handle, cublasFillMode_t uplo, \
                                                 int n, const T* alpha, const T* v, int incx,  \
                                                 const T* y, int incy, T* a, int lda)          \
                      SIMT_CUBLAS_CALL(cublas##X##syr2,                                        \
                                       syr2(call, uplo, n, alpha, v, incx, y, incy, a, lda))
SIMT_OF_REAL(S, float)
SIMT_OF_REAL(D, double)
