/// \file
/// A step's prediction: how many elements of global memory it reads or writes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace worklog {

/// A problem and how it is launched: what a prediction depends on.
struct Launched {
  std::int64_t rows;          ///< of the whole problem
  std::int64_t cols;          ///< of a row
  int block_size;             ///< threads
  std::size_t element_bytes;  ///< of a logit
  std::int64_t k = 0;         ///< how many of the largest are wanted; 0 where there is no top-k
};

/// Accesses of a row, in elements. Exact: the counters must meet it to the last element.
struct Accesses {
  std::int64_t per_column = 0;  ///< for each logit
  std::int64_t per_row = 0;     ///< once a row
  std::int64_t per_k = 0;       ///< for each of the k largest, once a row
  /// Of results that blocks leave for each other, where several share a row: their number depends
  /// on the launch. And what did not fit where a row was to be kept, or is looked at once more. Of
  /// all rows together, of which the first begins at a multiple of 128 bytes; none by default.
  std::int64_t (*of_partials)(const Launched&) = nullptr;

  /// Of a whole problem.
  constexpr std::int64_t of(const Launched& launched) const {
    const std::int64_t of_a_row = per_column * launched.cols + per_row + per_k * launched.k;
    return launched.rows * of_a_row + (of_partials == nullptr ? 0 : of_partials(launched));
  }
};

}  // namespace worklog
