// Matrices on the device whose columns have unwritten memory between them, and what plain loops in fp64
// make of their elements.
#pragma once

#include <cmath>
#include <complex>
#include <cstdio>
#include <cublas_v2.h>
#include <vector>

using Number = std::complex<double>;

inline Number number(float x) { return x; }
inline Number number(double x) { return x; }
inline Number number(__half x) { return static_cast<double>(static_cast<float>(x)); }
inline Number number(__nv_bfloat16 x) { return static_cast<double>(static_cast<float>(x)); }
inline Number number(cuComplex x) { return {x.x, x.y}; }
inline Number number(cuDoubleComplex x) { return {x.x, x.y}; }

template <typename T>
struct Of {
  static T from(double real, double) { return static_cast<T>(static_cast<float>(real)); }
};
template <>
struct Of<double> {
  static double from(double real, double) { return real; }
};
template <>
struct Of<cuComplex> {
  static cuComplex from(double real, double imaginary) {
    return make_cuFloatComplex(static_cast<float>(real), static_cast<float>(imaginary));
  }
};
template <>
struct Of<cuDoubleComplex> {
  static cuDoubleComplex from(double real, double imaginary) {
    return make_cuDoubleComplex(real, imaginary);
  }
};

// Half of the distance from 1 to the next number.
template <typename T>
constexpr double kRounding = 6e-8;
template <>
constexpr double kRounding<double> = 1.2e-16;
template <>
constexpr double kRounding<cuDoubleComplex> = 1.2e-16;
template <>
constexpr double kRounding<__half> = 4.9e-4;
template <>
constexpr double kRounding<__nv_bfloat16> = 4e-3;

inline int compared = 0;
inline int wrong = 0;

inline void compare(const char* name, bool equal) {
  ++compared;
  if (equal) return;
  if (++wrong <= 20) std::printf("%s is wrong\n", name);
}

inline void succeeds(const char* name, cublasStatus_t status) {
  compare(name, status == CUBLAS_STATUS_SUCCESS);
}

// The actual value of a sum of `terms` products of numbers between -1 and 1.
template <typename T>
void compare(const char* name, Number actual, Number expected, int terms = 1) {
  const double most = 4.0 * (terms + 2) * kRounding<T> * (std::is_same<T, float>::value ? 1 : 2);
  compare(name, std::abs(actual - expected) <= most);
}

inline double next_random() {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return static_cast<double>(state >> 8) / (1 << 23) - 1.0;
}

// Of which the host has a copy. Vectors are matrices of one row, whose columns have gaps, too.
template <typename T>
class Matrix {
 public:
  Matrix(int rows, int columns, int gap = 3) : rows(rows), columns(columns), ld(rows + gap) {
    host.resize(static_cast<std::size_t>(rows * columns));
    cudaMalloc(&device, sizeof(T) * static_cast<std::size_t>(ld * columns));
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() { cudaFree(device); }

  Matrix& fill() {
    for (T& element : host)
      element = Of<T>::from(next_random(), next_random());
    upload();
    return *this;
  }
  // The diagonal of a triangle by which one divides.
  Matrix& dominate() {
    for (int i = 0; i < rows; ++i)
      at(i, i) = Of<T>::from(4.0 * rows, 1.0);
    upload();
    return *this;
  }
  void upload() {
    cublasSetMatrix(rows, columns, sizeof(T), host.data(), rows, device, ld);
  }
  // What the device has now; the copy of the host stays.
  std::vector<T> download() const {
    std::vector<T> now(host.size());
    cublasGetMatrix(rows, columns, sizeof(T), device, ld, now.data(), rows);
    return now;
  }

  T& at(int row, int column) { return host[static_cast<std::size_t>(row + column * rows)]; }
  Number operator()(int row, int column) const {
    return number(host[static_cast<std::size_t>(row + column * rows)]);
  }
  // Of what an operation makes of it.
  Number operator()(cublasOperation_t operation, int row, int column) const {
    if (operation == CUBLAS_OP_N) return (*this)(row, column);
    const Number value = (*this)(column, row);
    return operation == CUBLAS_OP_C ? std::conj(value) : value;
  }
  // Of a symmetric matrix of which one triangle counts.
  Number symmetric(cublasFillMode_t mode, int row, int column) const {
    const bool is_there = mode == CUBLAS_FILL_MODE_UPPER ? row <= column : row >= column;
    return is_there ? (*this)(row, column) : (*this)(column, row);
  }
  // Of what an operation makes of a triangle.
  Number triangle(cublasFillMode_t mode, cublasDiagType_t diagonal, cublasOperation_t operation,
                  int row, int column) const {
    if (row == column && diagonal == CUBLAS_DIAG_UNIT) return 1.0;
    const bool swapped = operation != CUBLAS_OP_N;
    const int from = swapped ? column : row;
    const int to = swapped ? row : column;
    const bool is_there = mode == CUBLAS_FILL_MODE_UPPER ? from <= to : from >= to;
    return is_there ? (*this)(operation, row, column) : 0.0;
  }

  const int rows;
  const int columns;
  const int ld;
  std::vector<T> host;
  T* device = nullptr;
};

// A vector whose elements lie `increment` apart, and of which nothing between them is written.
template <typename T>
struct Vector : Matrix<T> {
  Vector(int n, int increment) : Matrix<T>(1, n, std::abs(increment) - 1), increment(increment) {}
  // The element that counts as number i.
  Number operator[](int i) const { return (*this)(0, place(i)); }
  Number now(const std::vector<T>& downloaded, int i) const {
    return number(downloaded[static_cast<std::size_t>(place(i))]);
  }
  int place(int i) const { return increment > 0 ? i : this->columns - 1 - i; }
  const int increment;
};
