/// \file
/// Where the rows of an array lie that has gaps between them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace worklog::library {

/// Rows lie a stride apart, and after so many of them, which are a matrix, the next matrix begins:
/// what a slice of an array of three axes looks like. In elements.
struct RowLayout {
  std::int64_t stride = 0;         ///< from a row to the next of its matrix
  std::int64_t matrix_stride = 0;  ///< from a matrix's first row to the next one's
  std::uint32_t matrix_rows = 1;   ///< 1 or more

  /// Where row `row` of 0 .. 2^31 - 1 begins.
  __host__ __device__ std::int64_t begin_of(std::int64_t row) const {
    const auto r = static_cast<std::uint32_t>(row);  // division takes less time in 32 bits
    return std::int64_t{r / matrix_rows} * matrix_stride + std::int64_t{r % matrix_rows} * stride;
  }
};

}  // namespace worklog::library
