/// \file
/// C = alpha * op(A) * op(B) + beta * C, once or of many matrices.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "simt/cublas/call.h"
#include "simt/cublas/openblas.h"

namespace simt::cublas {

/// What all products of a call have in common.
struct Products {
  cublasOperation_t transa;  ///< what is done to A first
  cublasOperation_t transb;  ///< and to B
  int m;                     ///< rows of C
  int n;                     ///< columns of C
  int k;                     ///< columns of op(A)
  int lda;                   ///< from a column of A to the next
  int ldb;                   ///< of B
  int ldc;                   ///< of C
  int count = 1;             ///< how many products
};

/// Matrices of which each begins `stride` elements behind the one before.
template <typename T>
struct Strided {
  T* first;              ///< matrix
  long long stride = 0;  ///< elements from one to the next
  /// Matrix number i.
  T* operator[](int i) const { return first + i * stride; }
};

/// Numbers of 16 bits, which are multiplied as float.
template <typename T>
inline constexpr bool kIsNarrow = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/// A matrix's elements as float, without gaps.
template <typename T>
std::vector<float> widened(const T* a, int rows, int columns, int ld) {
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (std::ptrdiff_t column = 0; column < columns; ++column) {
    for (std::ptrdiff_t row = 0; row < rows; ++row)
      all.push_back(static_cast<float>(a[row + column * ld]));
  }
  return all;
}

/// Multiplies numbers of 16 bits as float, and rounds each element of C once.
template <typename In, typename Out>
void multiply_narrow(const Products& of, float alpha, const In* a, const In* b, float beta,
                     Out* c) {
  const bool a_is_read = alpha != 0;
  const int a_rows = of.transa == CUBLAS_OP_N ? of.m : of.k;
  const int b_rows = of.transb == CUBLAS_OP_N ? of.k : of.n;
  std::vector<float> left;
  std::vector<float> right;
  if (a_is_read) {
    left = widened(a, a_rows, of.m + of.k - a_rows, of.lda);
    right = widened(b, b_rows, of.k + of.n - b_rows, of.ldb);
  }
  std::vector<float> result(static_cast<std::size_t>(of.m) * static_cast<std::size_t>(of.n));
  if (beta != 0) result = widened(c, of.m, of.n, of.ldc);
  blas::gemm(transpose_of<float>(of.transa), transpose_of<float>(of.transb), of.m, of.n, of.k,
             alpha, left.data(), std::max(1, a_rows), right.data(), std::max(1, b_rows), beta,
             result.data(), of.m);
  const float* next = result.data();
  for (std::ptrdiff_t column = 0; column < of.n; ++column) {
    for (std::ptrdiff_t row = 0; row < of.m; ++row)
      c[row + column * of.ldc] = static_cast<Out>(*next++);
  }
}

/// `a`, `b` and `c` give the matrices of each product by its number.
template <typename In, typename Out, typename Scalar, typename A, typename B, typename C>
void multiply(Call& call, const Products& of, const Scalar* alpha, const A& a, const B& b,
              const Scalar* beta, const C& c) {
  using Number = std::conditional_t<kIsNarrow<Scalar>, float, Scalar>;
  const auto factor = static_cast<Number>(call.scalar(alpha));
  const auto of_c = static_cast<Number>(call.scalar(beta));
  for (int i = 0; i < of.count; ++i) {
    if (of.k > 0 && !is_zero(factor)) {
      call.reads(Matrix<In>::before(of.transa, a[i], of.m, of.k, of.lda));
      call.reads(Matrix<In>::before(of.transb, b[i], of.k, of.n, of.ldb));
    }
    const Matrix<Out> result(c[i], of.m, of.n, of.ldc);
    if (!is_zero(of_c)) call.reads(result);
    call.writes(result);
    if constexpr (kIsNarrow<In>) {
      multiply_narrow<In, Out>(of, factor, a[i], b[i], of_c, c[i]);
    } else {
      blas::gemm(transpose_of<In>(of.transa), transpose_of<In>(of.transb), of.m, of.n, of.k, factor,
                 a[i], of.lda, b[i], of.ldb, of_c, c[i], of.ldc);
    }
  }
}

/// Throws a Failure where there are no such products.
void check(const Products& of);
/// Whether there is nothing to do.
inline bool is_empty(const Products& of) {
  return of.m == 0 || of.n == 0 || of.count == 0;
}

/// Of matrices that lie at equal distances, or of one.
template <typename In, typename Out, typename Scalar>
void multiply_strided(Call& call, const Products& of, const Scalar* alpha, Strided<const In> a,
                      Strided<const In> b, const Scalar* beta, Strided<Out> c) {
  check(of);
  if (!is_empty(of)) multiply<In, Out>(call, of, alpha, a, b, beta, c);
}

/// Of matrices of which the device has the addresses.
template <typename In, typename Out, typename Scalar>
void multiply_batch(Call& call, const Products& of, const Scalar* alpha, const In* const* a,
                    const In* const* b, const Scalar* beta, Out* const* c) {
  check(of);
  if (is_empty(of)) return;
  multiply<In, Out>(call, of, alpha, call.addresses(a, of.count), call.addresses(b, of.count), beta,
                    call.addresses(c, of.count));
}

}  // namespace simt::cublas
