/// \file
/// What is looked at of arrays whose rows lie apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace worklog::library {

/// The rows of an array: those of a matrix lie a stride apart, and its matrices another.
struct Rows {
  const char* name;                                        ///< of the argument
  const void* data;                                        ///< null where there is no array
  std::int64_t rows;                                       ///< 1 or more
  std::int64_t row_bytes;                                  ///< of a row itself
  std::int64_t stride_bytes;                               ///< from a row to the next of its matrix
  std::int64_t matrix_rows = rows;                         ///< 1 to rows
  std::int64_t matrix_stride_bytes = rows * stride_bytes;  ///< from a matrix to the next

  /// From the first byte to behind the last one.
  std::int64_t bytes() const;
};

/// Throws a Refusal of `results` if it shares a byte with what is given. The rows of one may lie
/// between those of the other, as halves of a wider array do. `allowed` is what else the results
/// may be, for the text: "equal to logits or ", or "".
void require_clear(const Rows& given, const Rows& results, const std::string& allowed);

/// Throws a Refusal of rows or columns that are out of their range, of elements of so many bytes,
/// or of `options->scale` where it is not finite.
void require_shape_and_scale(std::int64_t rows, std::int64_t cols, std::size_t element,
                             float scale);

/// A stride in elements, with cols for 0. Throws a Refusal of one below cols, or that so many rows
/// do not fit 63 bits with.
std::int64_t stride_of(const char* name, std::int64_t given, std::int64_t rows, std::int64_t cols,
                       std::size_t element);

/// Throws a Refusal of an array that is null or not aligned to its elements.
void require_aligned(const char* name, const void* data, std::size_t element);

}  // namespace worklog::library
