// Many small systems of equations: each matrix is factored into triangles, by which one divides.

#include <utility>

#include "simt/cublas/entry.h"
#include "simt/cublas/openblas.h"

namespace simt::cublas {
namespace {

float quotient(float a, float b) {
  return a / b;
}
double quotient(double a, double b) {
  return a / b;
}
cuComplex quotient(const cuComplex& a, const cuComplex& b) {
  return cuCdivf(a, b);
}
cuDoubleComplex quotient(const cuDoubleComplex& a, const cuDoubleComplex& b) {
  return cuCdiv(a, b);
}

template <typename T>
T one() {
  T value = {};
  if constexpr (kIsComplex<T>) {
    value.x = 1;
  } else {
    value = 1;
  }
  return value;
}

template <typename T>
T minus_one() {
  T value = one<T>();
  if constexpr (kIsComplex<T>) {
    value.x = -1;
  } else {
    value = -1;
  }
  return value;
}

/// A square matrix.
template <typename T>
struct Square {
  T* data;
  int n;
  int ld;
  T* at(int row, int column) const { return data + row + static_cast<std::ptrdiff_t>(column) * ld; }
};

template <typename T>
void swap_rows(T* a, int columns, int ld, int one, int other) {
  if (one != other) blas::swap(columns, a + one, ld, a + other, ld);
}

/// The row at or below the diagonal that has a column's largest element.
template <typename T>
int pivot_row(const Square<T>& a, int column) {
  int best = column;
  for (int row = column + 1; row < a.n; ++row) {
    if (magnitude(*a.at(row, column)) > magnitude(*a.at(best, column))) best = row;
  }
  return best;
}

/// P * A = L * U in A's place, as LAPACK's getrf does. Without `pivots` no rows are swapped.
/// Returns the number, from 1, of the first 0 on U's diagonal, or 0.
template <typename T>
int factor(const Square<T>& a, int* pivots) {
  int singular = 0;
  for (int k = 0; k < a.n; ++k) {
    if (pivots != nullptr) {
      const int row = pivot_row(a, k);
      pivots[k] = row + 1;
      swap_rows(a.data, a.n, a.ld, k, row);
    }
    if (is_zero(*a.at(k, k))) {
      if (singular == 0) singular = k + 1;
      continue;
    }
    for (int row = k + 1; row < a.n; ++row)
      *a.at(row, k) = quotient(*a.at(row, k), *a.at(k, k));
    const int left = a.n - k - 1;
    if (left == 0) continue;
    blas::gemm(CblasNoTrans, CblasNoTrans, left, left, 1, minus_one<T>(), a.at(k + 1, k), a.ld,
               a.at(k, k + 1), a.ld, one<T>(), a.at(k + 1, k + 1), a.ld);
  }
  return singular;
}

template <typename T>
int zero_on_diagonal(const Square<T>& a) {
  for (int k = 0; k < a.n; ++k) {
    if (is_zero(*a.at(k, k))) return k + 1;
  }
  return 0;
}

/// B becomes what op(A) * X = B is solved by, from A's factors.
template <typename T>
void solve(CBLAS_TRANSPOSE trans, const Square<const T>& a, const int* pivots, int columns, T* b,
           int ldb) {
  const auto divide = [&](CBLAS_UPLO uplo, CBLAS_DIAG diag) {
    blas::trsm(CblasLeft, uplo, trans, diag, a.n, columns, one<T>(), a.data, a.ld, b, ldb);
  };
  if (trans == CblasNoTrans) {
    for (int k = 0; pivots != nullptr && k < a.n; ++k)
      swap_rows(b, columns, ldb, k, pivots[k] - 1);
    divide(CblasLower, CblasUnit);
    divide(CblasUpper, CblasNonUnit);
  } else {
    divide(CblasUpper, CblasNonUnit);
    divide(CblasLower, CblasUnit);
    for (int k = a.n - 1; pivots != nullptr && k >= 0; --k)
      swap_rows(b, columns, ldb, k, pivots[k] - 1);
  }
}

/// Rows beyond the matrix would be swapped.
void check_pivots(const int* pivots, int n, int batch) {
  for (std::ptrdiff_t i = 0; pivots != nullptr && i < std::ptrdiff_t{n} * batch; ++i)
    require(pivots[i] >= 1 && pivots[i] <= n);
}

// ---- the functions ----

template <typename T>
void getrf(Call& call, int n, T* const* a, int lda, int* pivots, int* info, int batch) {
  require(n >= 0 && batch >= 0 && lda >= std::max(1, n));
  if (n == 0 || batch == 0) return;
  const auto matrices = call.addresses(a, batch);
  for (T* each : matrices)
    call.updates(Matrix(each, n, n, lda));
  if (pivots != nullptr) call.writes(Vector(pivots, n * batch, 1));
  call.writes(Vector(info, batch, 1));
  for (int i = 0; i < batch; ++i) {
    int* const own = pivots == nullptr ? nullptr : pivots + static_cast<std::ptrdiff_t>(i) * n;
    info[i] = factor(Square<T>{matrices[static_cast<std::size_t>(i)], n, lda}, own);
  }
}

template <typename T>
void getri(Call& call, int n, const T* const* a, int lda, const int* pivots, T* const* c, int ldc,
           int* info, int batch) {
  require(n >= 0 && batch >= 0 && lda >= std::max(1, n) && ldc >= std::max(1, n));
  if (n == 0 || batch == 0) return;
  const auto factors = call.addresses(a, batch);
  const auto inverses = call.addresses(c, batch);
  if (pivots != nullptr) call.reads(Vector(pivots, n * batch, 1));
  check_pivots(pivots, n, batch);
  call.writes(Vector(info, batch, 1));
  for (int i = 0; i < batch; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Square<const T> factored = {factors[at], n, lda};
    const Square<T> inverse = {inverses[at], n, ldc};
    require(factored.data != inverse.data);
    call.reads(Matrix(factored.data, n, n, lda));
    call.writes(Matrix(inverse.data, n, n, ldc));
    info[i] = zero_on_diagonal(factored);
    if (info[i] != 0) continue;
    for (int column = 0; column < n; ++column) {
      std::fill_n(inverse.at(0, column), n, T{});
      *inverse.at(column, column) = one<T>();
    }
    const int* const own =
        pivots == nullptr ? nullptr : pivots + static_cast<std::ptrdiff_t>(i) * n;
    solve<T>(CblasNoTrans, factored, own, n, inverse.data, ldc);
  }
}

/// Its `info` is the host's.
template <typename T>
void getrs(Call& call, cublasOperation_t trans, int n, int columns, const T* const* a, int lda,
           const int* pivots, T* const* b, int ldb, int* info, int batch) {
  require(info != nullptr);
  const CBLAS_TRANSPOSE transpose = transpose_of<T>(trans);
  require(n >= 0 && columns >= 0 && batch >= 0 && lda >= std::max(1, n) && ldb >= std::max(1, n));
  *info = 0;
  if (n == 0 || columns == 0 || batch == 0) return;
  const auto factors = call.addresses(a, batch);
  const auto solved = call.addresses(b, batch);
  if (pivots != nullptr) call.reads(Vector(pivots, n * batch, 1));
  check_pivots(pivots, n, batch);
  for (int i = 0; i < batch; ++i) {
    const auto at = static_cast<std::size_t>(i);
    call.reads(Matrix(factors[at], n, n, lda));
    call.updates(Matrix(solved[at], n, columns, ldb));
    const int* const own =
        pivots == nullptr ? nullptr : pivots + static_cast<std::ptrdiff_t>(i) * n;
    solve<T>(transpose, {factors[at], n, lda}, own, columns, solved[at], ldb);
  }
}

template <typename T>
void trsm_batch(Call& call, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                cublasDiagType_t diag, int m, int n, const T* alpha, const T* const* a, int lda,
                T* const* b, int ldb, int batch) {
  const CBLAS_SIDE where = side_of(side);
  const CBLAS_TRANSPOSE transpose = transpose_of<T>(trans);
  const int order = where == CblasLeft ? m : n;
  const Triangle<T> shape(nullptr, uplo, diag, order, lda);
  const Matrix<T> other(nullptr, m, n, ldb);
  require(batch >= 0);
  if (m == 0 || n == 0 || batch == 0) return;
  const T by = call.scalar(alpha);
  const auto triangles = call.addresses(a, batch);
  const auto solved = call.addresses(b, batch);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (!is_zero(by)) {
      call.reads(Triangle(triangles[i], uplo, diag, order, lda));
      call.reads(Matrix(solved[i], m, n, ldb));
    }
    call.writes(Matrix(solved[i], m, n, ldb));
    blas::trsm(where, triangle_of(uplo), transpose, diagonal_of(diag), m, n, by, triangles[i], lda,
               solved[i], ldb);
  }
}

}  // namespace
}  // namespace simt::cublas

using namespace simt::cublas;

#define SIMT_OF(X, T)                                                                              \
  cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T* const a[], int lda,      \
                                         int* pivots, int* info, int batch)                        \
      SIMT_CUBLAS_CALL(cublas##X##getrfBatched, getrf(call, n, a, lda, pivots, info, batch))       \
          cublasStatus_t cublas##X##getriBatched(                                                  \
              cublasHandle_t handle, int n, const T* const a[], int lda, const int* pivots,        \
              T* const c[], int ldc, int* info,                                                    \
              int batch) SIMT_CUBLAS_CALL(cublas##X##getriBatched,                                 \
                                          getri(call, n, a, lda, pivots, c, ldc, info, batch))     \
              cublasStatus_t cublas##X##getrsBatched(                                              \
                  cublasHandle_t handle, cublasOperation_t trans, int n, int columns,              \
                  const T* const a[], int lda, const int* pivots, T* const b[], int ldb,           \
                  int* info, int batch)                                                            \
                  SIMT_CUBLAS_CALL(cublas##X##getrsBatched, getrs(call, trans, n, columns, a, lda, \
                                                                  pivots, b, ldb, info, batch))    \
                      cublasStatus_t cublas##X##trsmBatched(                                       \
                          cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,     \
                          cublasOperation_t trans, cublasDiagType_t diag, int m, int n,            \
                          const T* alpha, const T* const a[], int lda, T* const b[], int ldb,      \
                          int batch) SIMT_CUBLAS_CALL(cublas##X##trsmBatched,                      \
                                                      trsm_batch(call, side, uplo, trans, diag, m, \
                                                                 n, alpha, a, lda, b, ldb, batch))
SIMT_OF(S, float)
SIMT_OF(D, double)
SIMT_OF(C, cuComplex)
SIMT_OF(Z, cuDoubleComplex)
