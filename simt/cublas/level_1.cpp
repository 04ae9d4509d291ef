// Vectors with vectors.

#include <utility>

#include "simt/cublas/entry.h"
#include "simt/cublas/openblas.h"

namespace simt::cublas {
namespace {

template <typename T>
void axpy(Call& call, int n, const T* alpha, const T* x, int incx, T* y, int incy) {
  if (n <= 0) return;
  const T factor = call.scalar(alpha);
  call.reads(Vector(x, n, incx));
  call.updates(Vector(y, n, incy));
  blas::axpy(n, factor, x, incx, y, incy);
}

template <typename T>
void copy_vector(Call& call, int n, const T* x, int incx, T* y, int incy) {
  if (n <= 0) return;
  call.reads(Vector(x, n, incx));
  call.writes(Vector(y, n, incy));
  blas::copy(n, x, incx, y, incy);
}

template <typename T>
void swap_vectors(Call& call, int n, T* x, int incx, T* y, int incy) {
  if (n <= 0) return;
  call.updates(Vector(x, n, incx));
  call.updates(Vector(y, n, incy));
  blas::swap(n, x, incx, y, incy);
}

template <typename T, typename Factor>
void scal(Call& call, int n, const Factor* alpha, T* x, int incx) {
  if (n <= 0 || incx <= 0) return;
  const Factor factor = call.scalar(alpha);
  call.updates(Vector(x, n, incx));
  blas::scal(n, factor, x, incx);
}

template <typename T>
void rot(Call& call, int n, T* x, int incx, T* y, int incy, const T* c, const T* s) {
  if (n <= 0) return;
  const T cosine = call.scalar(c);
  const T sine = call.scalar(s);
  call.updates(Vector(x, n, incx));
  call.updates(Vector(y, n, incy));
  blas::rot(n, x, incx, y, incy, cosine, sine);
}

// ---- what a vector comes to ----

/// `sum` is one of OpenBLAS's functions of two vectors.
template <typename T, typename Sum>
void dot(Call& call, int n, const T* x, int incx, const T* y, int incy, T* result, Sum sum) {
  if (n <= 0) return call.put(result, T{});
  call.reads(Vector(x, n, incx));
  call.reads(Vector(y, n, incy));
  call.put(result, sum(n, x, incx, y, incy));
}

/// `sum` is one of OpenBLAS's functions of a vector.
template <typename T, typename Real, typename Sum>
void norm(Call& call, int n, const T* x, int incx, Real* result, Sum sum) {
  if (n <= 0 || incx <= 0) return call.put(result, Real{});
  call.reads(Vector(x, n, incx));
  call.put(result, sum(n, x, incx));
}

/// The place of the first that none is before, from 1; 0 of no element.
template <typename T, typename Before>
void find_place(Call& call, int n, const T* x, int incx, int* result, Before before) {
  if (n <= 0 || incx <= 0) return call.put(result, 0);
  call.reads(Vector(x, n, incx));
  int best = 0;
  for (int i = 1; i < n; ++i) {
    const auto at = [=](int place) { return x[static_cast<std::ptrdiff_t>(place) * incx]; };
    if (before(magnitude(at(i)), magnitude(at(best)))) best = i;
  }
  call.put(result, best + 1);
}

constexpr auto kGreater = [](auto a, auto b) { return a > b; };
constexpr auto kLess = [](auto a, auto b) { return a < b; };

#define SIMT_SUM(name) [](auto... arguments) { return blas::name(arguments...); }

}  // namespace
}  // namespace simt::cublas

using namespace simt::cublas;

#define SIMT_OF(X, x, T)                                                                           \
  cublasStatus_t cublasI##x##amax(cublasHandle_t handle, int n, const T* v, int incx, int* result) \
      SIMT_CUBLAS_CALL(cublasI##x##amax, find_place(call, n, v, incx, result, kGreater))           \
          cublasStatus_t cublasI##x##amin(cublasHandle_t handle, int n, const T* v, int incx,      \
                                          int* result)                                             \
              SIMT_CUBLAS_CALL(cublasI##x##amin, find_place(call, n, v, incx, result, kLess))      \
                  cublasStatus_t cublas##X##axpy(cublasHandle_t handle, int n, const T* alpha,     \
                                                 const T* v, int incx, T* y, int incy)             \
                      SIMT_CUBLAS_CALL(cublas##X##axpy, axpy(call, n, alpha, v, incx, y, incy))    \
                          cublasStatus_t cublas##X##copy(cublasHandle_t handle, int n, const T* v, \
                                                         int incx, T* y, int incy)                 \
                              SIMT_CUBLAS_CALL(cublas##X##copy,                                    \
                                               copy_vector(call, n, v, incx, y, incy))             \
                                  cublasStatus_t cublas##X##swap(cublasHandle_t handle, int n,     \
                                                                 T* v, int incx, T* y, int incy)   \
                                      SIMT_CUBLAS_CALL(cublas##X##swap,                            \
                                                       swap_vectors(call, n, v, incx, y, incy))    \
                                          cublasStatus_t cublas##X##scal(cublasHandle_t handle,    \
                                                                         int n, const T* alpha,    \
                                                                         T* v, int incx)           \
                                              SIMT_CUBLAS_CALL(cublas##X##scal,                    \
                                                               scal(call, n, alpha, v, incx))
SIMT_OF(S, s, float)
SIMT_OF(D, d, double)
SIMT_OF(C, c, cuComplex)
SIMT_OF(Z, z, cuDoubleComplex)

#define SIMT_OF_REAL(X, T)                                                                      \
  cublasStatus_t cublas##X##dot(cublasHandle_t handle, int n, const T* v, int incx, const T* y, \
                                int incy, T* result)                                            \
      SIMT_CUBLAS_CALL(cublas##X##dot, dot(call, n, v, incx, y, incy, result, SIMT_SUM(dot)))   \
          cublasStatus_t cublas##X##rot(cublasHandle_t handle, int n, T* v, int incx, T* y,     \
                                        int incy, const T* c, const T* s)                       \
              SIMT_CUBLAS_CALL(cublas##X##rot, rot(call, n, v, incx, y, incy, c, s))
SIMT_OF_REAL(S, float)
SIMT_OF_REAL(D, double)

#define SIMT_OF_COMPLEX(X, T)                                                                    \
  cublasStatus_t cublas##X##dotu(cublasHandle_t handle, int n, const T* v, int incx, const T* y, \
                                 int incy, T* result)                                            \
      SIMT_CUBLAS_CALL(cublas##X##dotu, dot(call, n, v, incx, y, incy, result, SIMT_SUM(dotu)))  \
          cublasStatus_t cublas##X##dotc(cublasHandle_t handle, int n, const T* v, int incx,     \
                                         const T* y, int incy, T* result)                        \
              SIMT_CUBLAS_CALL(cublas##X##dotc,                                                  \
                               dot(call, n, v, incx, y, incy, result, SIMT_SUM(dotc)))
SIMT_OF_COMPLEX(C, cuComplex)
SIMT_OF_COMPLEX(Z, cuDoubleComplex)

#define SIMT_NORMS(X, T, Real)                                                                     \
  cublasStatus_t cublas##X##nrm2(cublasHandle_t handle, int n, const T* v, int incx, Real* result) \
      SIMT_CUBLAS_CALL(cublas##X##nrm2, norm(call, n, v, incx, result, SIMT_SUM(nrm2)))            \
          cublasStatus_t cublas##X##asum(cublasHandle_t handle, int n, const T* v, int incx,       \
                                         Real* result)                                             \
              SIMT_CUBLAS_CALL(cublas##X##asum, norm(call, n, v, incx, result, SIMT_SUM(asum)))
SIMT_NORMS(S, float, float)
SIMT_NORMS(D, double, double)
SIMT_NORMS(Sc, cuComplex, float)
SIMT_NORMS(Dz, cuDoubleComplex, double)

cublasStatus_t cublasCsscal(cublasHandle_t handle, int n, const float* alpha, cuComplex* x,
                            int incx)
    SIMT_CUBLAS_CALL(cublasCsscal, scal(call, n, alpha, x, incx)) cublasStatus_t
    cublasZdscal(cublasHandle_t handle, int n, const double* alpha, cuDoubleComplex* x, int incx)
        SIMT_CUBLAS_CALL(cublasZdscal, scal(call, n, alpha, x, incx))
