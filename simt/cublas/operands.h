/// \file
/// Vectors and matrices in memory, column by column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "simt/cublas/failure.h"
#include "simt/executor/executor.h"

namespace simt::cublas {

/// n elements, of which each lies `increment` behind the one before; backwards, if that is
/// negative: the first lies at the end. All are one for 0.
template <typename T>
class Vector {
 public:
  /// `data` is the lowest address.
  Vector(const T* data, int n, int increment) : data_(data), n_(n), increment_(increment) {}

  /// The lowest address.
  const void* data() const { return data_; }
  /// Calls `use` with the memory that the elements have.
  template <typename Use>
  void for_pieces(Use use) const {
    if (n_ <= 0) return;
    const std::size_t distance = std::abs(static_cast<long>(increment_)) * sizeof(T);
    const std::size_t all = static_cast<std::size_t>(n_) * sizeof(T);
    if (distance == sizeof(T)) return use(MemoryPieces{data_, all});
    const std::size_t count = increment_ == 0 ? 1 : static_cast<std::size_t>(n_);
    use(MemoryPieces{data_, sizeof(T), count, distance});
  }

 private:
  const T* data_;
  int n_;
  int increment_;
};

/// Rows and columns, of which each begins `ld` elements behind the one before.
template <typename T>
class Matrix {
 public:
  /// Throws as require() does for a negative size, or too small an `ld`.
  Matrix(const T* data, int rows, int columns, int ld)
      : data_(data), rows_(rows), columns_(columns), ld_(ld) {
    require(rows >= 0 && columns >= 0 && ld >= std::max(1, rows));
  }
  /// Of which `operation` makes one of rows x columns.
  static Matrix before(cublasOperation_t operation, const T* data, int rows, int columns, int ld) {
    const bool as_it_is = operation == CUBLAS_OP_N;
    return Matrix(data, as_it_is ? rows : columns, as_it_is ? columns : rows, ld);
  }

  /// The lowest address.
  const void* data() const { return data_; }
  /// Calls `use` with the memory that the elements have.
  template <typename Use>
  void for_pieces(Use use) const {
    if (rows_ == 0 || columns_ == 0) return;
    const auto rows = static_cast<std::size_t>(rows_);
    const auto columns = static_cast<std::size_t>(columns_);
    if (rows_ == ld_) return use(MemoryPieces{data_, rows * columns * sizeof(T)});
    use(MemoryPieces{data_, rows * sizeof(T), columns, static_cast<std::size_t>(ld_) * sizeof(T)});
  }

 private:
  const T* data_;
  int rows_;
  int columns_;
  int ld_;
};

/// One triangle of n rows and columns: the other one's memory is left alone.
template <typename T>
class Triangle {
 public:
  /// Throws as require() does for what is no triangle, a negative size, or too small an `ld`.
  Triangle(const T* data, cublasFillMode_t which, cublasDiagType_t diagonal, int n, int ld)
      : data_(data), is_upper_(which == CUBLAS_FILL_MODE_UPPER), n_(n), ld_(ld) {
    require(which == CUBLAS_FILL_MODE_UPPER || which == CUBLAS_FILL_MODE_LOWER);
    require(diagonal == CUBLAS_DIAG_UNIT || diagonal == CUBLAS_DIAG_NON_UNIT);
    require(n >= 0 && ld >= std::max(1, n));
    without_ = diagonal == CUBLAS_DIAG_UNIT ? 1 : 0;
  }

  /// The lowest address.
  const void* data() const { return data_; }
  /// Calls `use` with the memory that the elements have, column by column.
  template <typename Use>
  void for_pieces(Use use) const {
    for (int column = 0; column < n_; ++column) {
      const int first = is_upper_ ? 0 : column + without_;
      const int end = is_upper_ ? column + 1 - without_ : n_;
      if (first >= end) continue;
      const T* begin = data_ + static_cast<std::ptrdiff_t>(column) * ld_ + first;
      use(MemoryPieces{begin, static_cast<std::size_t>(end - first) * sizeof(T)});
    }
  }

 private:
  const T* data_;
  bool is_upper_;
  int without_ = 0;  // elements of a column, which are ones
  int n_;
  int ld_;
};

}  // namespace simt::cublas
