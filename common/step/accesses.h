/// \file
/// A step's prediction: how many elements of global memory it reads or writes.
#pragma once

#include <cstdint>

namespace worklog {

/// Accesses of a row of `cols` columns with the `k` largest wanted (0 where there is no top-k), in
/// elements. Exact: the counters must meet it to the last element.
struct Accesses {
  std::int64_t per_column = 0;  ///< for each logit
  std::int64_t per_row = 0;     ///< once a row
  std::int64_t per_k = 0;       ///< for each of the k largest, once a row
  /// Of results that blocks leave for each other, where several share a row: their number depends
  /// on the launch. None by default.
  std::int64_t (*of_partials)(std::int64_t cols, int block_size) = nullptr;

  /// Of a whole problem, launched with `block_size` threads a block.
  constexpr std::int64_t of(std::int64_t rows, std::int64_t cols, std::int64_t k,
                            int block_size) const {
    const std::int64_t partials = of_partials == nullptr ? 0 : of_partials(cols, block_size);
    return rows * (per_column * cols + per_row + per_k * k + partials);
  }
};

}  // namespace worklog
