// cuBLAS's functions of vectors, and of a matrix and a vector, held against plain loops.

#include "compare.h"

namespace {

cublasHandle_t handle = nullptr;

constexpr int kN = 37;

template <typename T>
struct Functions;

#define FUNCTIONS(X, x, T)                                                                   \
  template <>                                                                                \
  struct Functions<T> {                                                                      \
    static constexpr auto axpy = cublas##X##axpy;                                            \
    static constexpr auto copy = cublas##X##copy;                                            \
    static constexpr auto swap = cublas##X##swap;                                            \
    static constexpr auto scal = cublas##X##scal;                                            \
    static constexpr auto amax = cublasI##x##amax;                                           \
    static constexpr auto amin = cublasI##x##amin;                                           \
    static constexpr auto gemv = cublas##X##gemv;                                            \
    static constexpr auto trsv = cublas##X##trsv;                                            \
    static constexpr auto trmv = cublas##X##trmv;                                            \
  };
FUNCTIONS(S, s, float)
FUNCTIONS(D, d, double)
FUNCTIONS(C, c, cuComplex)
FUNCTIONS(Z, z, cuDoubleComplex)

double size_of(Number x) { return std::fabs(x.real()) + std::fabs(x.imag()); }

template <typename T>
void try_vectors(int incx, int incy) {
  using F = Functions<T>;
  Vector<T> x(kN, incx);
  Vector<T> y(kN, incy);
  const T alpha = Of<T>::from(0.75, -0.5);
  x.fill();
  y.fill();
  succeeds("axpy", F::axpy(handle, kN, &alpha, x.device, incx, y.device, incy));
  auto now = y.download();
  for (int i = 0; i < kN; ++i)
    compare<T>("axpy", y.now(now, i), number(alpha) * x[i] + y[i], 2);

  Vector<T> copied(kN, incy);
  succeeds("copy", F::copy(handle, kN, x.device, incx, copied.device, incy));
  now = copied.download();
  for (int i = 0; i < kN; ++i)
    compare("copy", copied.now(now, i) == x[i]);

  y.upload();
  succeeds("swap", F::swap(handle, kN, x.device, incx, y.device, incy));
  const auto x_now = x.download();
  const auto y_now = y.download();
  for (int i = 0; i < kN; ++i)
    compare("swap", x.now(x_now, i) == y[i] && y.now(y_now, i) == x[i]);

  x.upload();
  succeeds("scal", F::scal(handle, kN, &alpha, x.device, std::abs(incx)));
  now = x.download();
  for (int i = 0; i < kN; ++i)
    compare<T>("scal", x.now(now, i), number(alpha) * x[i]);
}

template <typename T>
void try_places() {
  Vector<T> x(kN, 2);
  x.fill();
  x.at(0, 20) = Of<T>::from(-3.0, 1.0);
  x.at(0, 30) = Of<T>::from(3.0, 1.0);
  x.at(0, 11) = Of<T>::from(0.0, 0.0);
  x.at(0, 12) = Of<T>::from(0.0, 0.0);
  x.upload();
  int place = 0;
  succeeds("amax", Functions<T>::amax(handle, kN, x.device, 2, &place));
  compare("amax counts from 1, and takes the first", place == 21);
  succeeds("amin", Functions<T>::amin(handle, kN, x.device, 2, &place));
  compare("amin", place == 12);
  succeeds("amax of nothing", Functions<T>::amax(handle, 0, x.device, 2, &place));
  compare("amax of nothing", place == 0);
}

template <typename T, typename Real, typename Nrm2, typename Asum>
void try_norms(Nrm2 nrm2, Asum asum) {
  Vector<T> x(kN, 3);
  x.fill();
  double squares = 0;
  double sizes = 0;
  for (int i = 0; i < kN; ++i) {
    squares += std::norm(x[i]);
    sizes += size_of(x[i]);
  }
  Real result = -1;
  succeeds("nrm2", nrm2(handle, kN, x.device, 3, &result));
  compare<T>("nrm2", result, std::sqrt(squares), kN);
  succeeds("asum", asum(handle, kN, x.device, 3, &result));
  compare<T>("asum", result, sizes, kN);
  succeeds("asum of nothing", asum(handle, 0, x.device, 3, &result));
  compare("asum of nothing", result == 0);
}

template <typename T, typename Dot>
void try_dot(Dot dot, bool conjugates, int incx, int incy) {
  Vector<T> x(kN, incx);
  Vector<T> y(kN, incy);
  x.fill();
  y.fill();
  Number sum = 0;
  for (int i = 0; i < kN; ++i)
    sum += (conjugates ? std::conj(x[i]) : x[i]) * y[i];
  T result = {};
  succeeds("dot", dot(handle, kN, x.device, incx, y.device, incy, &result));
  compare<T>("dot", number(result), sum, kN);
}

template <typename T, typename Rot>
void try_rot(Rot rot) {
  Vector<T> x(kN, 2);
  Vector<T> y(kN, 1);
  x.fill();
  y.fill();
  const T c = T(0.8);
  const T s = T(0.6);
  succeeds("rot", rot(handle, kN, x.device, 2, y.device, 1, &c, &s));
  const auto x_now = x.download();
  const auto y_now = y.download();
  for (int i = 0; i < kN; ++i) {
    compare<T>("rot", x.now(x_now, i), number(c) * x[i] + number(s) * y[i], 2);
    compare<T>("rot", y.now(y_now, i), number(c) * y[i] - number(s) * x[i], 2);
  }
}

// ---- with a matrix ----

template <typename T>
void try_gemv(cublasOperation_t operation, T alpha, T beta, int incx, int incy) {
  constexpr int kM = 23;
  Matrix<T> a(kM, kN);
  const bool as_it_is = operation == CUBLAS_OP_N;
  const int terms = as_it_is ? kN : kM;
  Vector<T> x(terms, incx);
  Vector<T> y(as_it_is ? kM : kN, incy);
  a.fill();
  x.fill();
  const bool keeps = number(beta) != 0.0;
  if (keeps) y.fill();  // else nobody has written it
  succeeds("gemv", Functions<T>::gemv(handle, operation, kM, kN, &alpha, a.device, a.ld, x.device,
                                      incx, &beta, y.device, incy));
  const auto now = y.download();
  for (int i = 0; i < y.columns; ++i) {
    Number sum = 0;
    for (int j = 0; j < terms; ++j)
      sum += a(operation, i, j) * x[j];
    Number expected = number(alpha) * sum;
    if (keeps) expected += number(beta) * y[i];
    compare<T>("gemv", y.now(now, i), expected, terms);
  }
}

template <typename T>
void try_triangle(cublasFillMode_t mode, cublasOperation_t operation, cublasDiagType_t diagonal,
                  int increment) {
  Matrix<T> a(kN, kN);
  a.fill();
  for (T& element : a.host)
    element = Of<T>::from(number(element).real() / kN, number(element).imag() / kN);
  a.upload();
  if (diagonal == CUBLAS_DIAG_NON_UNIT) a.dominate();
  Vector<T> x(kN, increment);
  x.fill();
  succeeds("trsv", Functions<T>::trsv(handle, mode, operation, diagonal, kN, a.device, a.ld,
                                      x.device, increment));
  const auto solved = x.download();
  for (int i = 0; i < kN; ++i) {
    Number sum = 0;
    for (int j = 0; j < kN; ++j)
      sum += a.triangle(mode, diagonal, operation, i, j) * x.now(solved, j);
    compare<T>("trsv", sum, x[i], 8 * kN);
  }
  succeeds("trmv", Functions<T>::trmv(handle, mode, operation, diagonal, kN, a.device, a.ld,
                                      x.device, increment));
  const auto back = x.download();
  for (int i = 0; i < kN; ++i)
    compare<T>("trmv takes back what trsv did", x.now(back, i), x[i], 16 * kN);
}

template <typename T, typename Ger>
void try_ger(Ger ger, bool conjugates) {
  constexpr int kM = 19;
  Matrix<T> a(kM, kN);
  Vector<T> x(kM, 2);
  Vector<T> y(kN, -3);
  const T alpha = Of<T>::from(-0.5, 0.25);
  a.fill();
  x.fill();
  y.fill();
  succeeds("ger",
           ger(handle, kM, kN, &alpha, x.device, 2, y.device, -3, a.device, a.ld));
  const auto now = a.download();
  for (int j = 0; j < kN; ++j) {
    for (int i = 0; i < kM; ++i) {
      const Number factor = conjugates ? std::conj(y[j]) : y[j];
      compare<T>("ger", number(now[static_cast<std::size_t>(i + j * kM)]),
                 a(i, j) + number(alpha) * x[i] * factor, 2);
    }
  }
}

template <typename T, typename Symv, typename Syr, typename Syr2>
void try_symmetric(cublasFillMode_t mode, Symv symv, Syr syr, Syr2 syr2) {
  Matrix<T> a(kN, kN);
  Vector<T> x(kN, 2);
  Vector<T> y(kN, -1);
  a.fill();
  x.fill();
  y.fill();
  const T alpha = T(0.5);
  const T beta = T(-0.75);
  succeeds("symv", symv(handle, mode, kN, &alpha, a.device, a.ld, x.device, 2, &beta, y.device, -1));
  const auto y_now = y.download();
  for (int i = 0; i < kN; ++i) {
    Number sum = 0;
    for (int j = 0; j < kN; ++j)
      sum += a.symmetric(mode, i, j) * x[j];
    compare<T>("symv", y.now(y_now, i), number(alpha) * sum + number(beta) * y[i], kN);
  }
  y.upload();
  succeeds("syr", syr(handle, mode, kN, &alpha, x.device, 2, a.device, a.ld));
  succeeds("syr2", syr2(handle, mode, kN, &alpha, x.device, 2, y.device, -1, a.device, a.ld));
  const auto now = a.download();
  for (int j = 0; j < kN; ++j) {
    for (int i = 0; i < kN; ++i) {
      const bool is_there = mode == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
      Number expected = a(i, j);
      if (is_there) expected += number(alpha) * (x[i] * x[j] + x[i] * y[j] + y[i] * x[j]);
      compare<T>("syr2", number(now[static_cast<std::size_t>(i + j * kN)]), expected, 4);
    }
  }
}

template <typename T>
void try_type() {
  for (const int incx : {1, 2, -3}) {
    for (const int incy : {1, -1, 4})
      try_vectors<T>(incx, incy);
  }
  try_places<T>();
  for (const auto operation : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
    try_gemv<T>(operation, Of<T>::from(0.5, 1.0), Of<T>::from(-0.25, 0.5), 1, 1);
    try_gemv<T>(operation, Of<T>::from(0.5, 1.0), Of<T>::from(0.0, 0.0), -2, 3);
    try_gemv<T>(operation, Of<T>::from(0.0, 0.0), Of<T>::from(2.0, 0.0), 1, 2);
    for (const auto mode : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
      for (const auto diagonal : {CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT})
        try_triangle<T>(mode, operation, diagonal, mode == CUBLAS_FILL_MODE_LOWER ? 1 : -2);
    }
  }
}

// Scalars and results in memory of the device.
void try_device_scalars() {
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  Vector<float> x(kN, 1);
  x.fill();
  float* scalars = nullptr;
  cudaMalloc(&scalars, 2 * sizeof(float));
  succeeds("dot to the device", cublasSdot(handle, kN, x.device, 1, x.device, 1, scalars));
  succeeds("axpy by the device", cublasSaxpy(handle, kN, scalars, x.device, 1, x.device, 1));
  int* place = nullptr;
  cudaMalloc(&place, sizeof(int));
  succeeds("amax to the device", cublasIsamax(handle, kN, x.device, 1, place));
  double sum = 0;
  for (int i = 0; i < kN; ++i)
    sum += std::norm(x[i]);
  float dot = 0;
  cudaMemcpy(&dot, scalars, sizeof dot, cudaMemcpyDeviceToHost);
  compare<float>("dot to the device", dot, sum, kN);
  const auto now = x.download();
  int found = 0;
  cudaMemcpy(&found, place, sizeof found, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kN; ++i) {
    compare<float>("axpy by the device", x.now(now, i), x[i] * (1 + sum), 4 * kN);
    compare("amax to the device", size_of(x[i]) <= size_of(x[found - 1]));
  }
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  cudaFree(scalars);
  cudaFree(place);
}

}  // namespace

int main() {
  succeeds("create", cublasCreate(&handle));
  try_type<float>();
  try_type<double>();
  try_type<cuComplex>();
  try_type<cuDoubleComplex>();
  try_norms<float, float>(cublasSnrm2, cublasSasum);
  try_norms<double, double>(cublasDnrm2, cublasDasum);
  try_norms<cuComplex, float>(cublasScnrm2, cublasScasum);
  try_norms<cuDoubleComplex, double>(cublasDznrm2, cublasDzasum);
  for (const int increment : {1, 2, -2}) {
    try_dot<float>(cublasSdot, false, 1, increment);
    try_dot<double>(cublasDdot, false, increment, 1);
    try_dot<cuComplex>(cublasCdotu, false, increment, 3);
    try_dot<cuComplex>(cublasCdotc, true, increment, 3);
    try_dot<cuDoubleComplex>(cublasZdotu, false, increment, 3);
    try_dot<cuDoubleComplex>(cublasZdotc, true, increment, 3);
  }
  try_rot<float>(cublasSrot);
  try_rot<double>(cublasDrot);
  try_ger<float>(cublasSger, false);
  try_ger<double>(cublasDger, false);
  try_ger<cuComplex>(cublasCgeru, false);
  try_ger<cuComplex>(cublasCgerc, true);
  try_ger<cuDoubleComplex>(cublasZgeru, false);
  try_ger<cuDoubleComplex>(cublasZgerc, true);
  for (const auto mode : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    try_symmetric<float>(mode, cublasSsymv, cublasSsyr, cublasSsyr2);
    try_symmetric<double>(mode, cublasDsymv, cublasDsyr, cublasDsyr2);
  }
  try_device_scalars();
  succeeds("destroy", cublasDestroy(handle));
  std::printf("vectors: %d comparisons, %d wrong\n", compared, wrong);
  return wrong == 0 ? 0 : 1;
}
