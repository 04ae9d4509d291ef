/// \file
/// Softmax and log-softmax of rows that lie apart, that are scaled and masked while they are read,
/// and whose results may be of another type. No step does so: this is the library's own kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/dtype.h"

namespace worklog::library {

/// Of each row the softmax of scale * x + mask, where x are the logits.
///
/// Row r is query r % queries of its matrix, and has the row r % mask_rows of the mask's matrix
/// r / mask_matrix_rows % mask_matrices, which lie one behind the other. Under a causal mask its
/// columns from r % queries + causal_offset + 1 on count as -inf, whatever is there or in the mask.
/// A row with a NaN or +inf, or of -inf only, is NaN throughout; any other -inf gives 0, or as a
/// logarithm -inf. All strides are in elements.
template <typename T>
struct ScaleMaskSoftmax {
  const T* logits = nullptr;           ///< rows x cols
  const T* mask = nullptr;             ///< mask_matrices x mask_rows x cols; null for none
  void* results = nullptr;             ///< rows x cols; logits, if type and stride are theirs
  DType results_type = dtype_of<T>();  ///< of the results
  bool logarithm = false;              ///< whether results are logarithms
  bool is_causal = false;              ///< whether queries see the columns up to their own
  float scale = 1.0f;                  ///< finite
  std::int64_t rows = 0;               ///< 1 to 2^31 - 1
  std::int64_t cols = 0;               ///< 1 or more
  std::int64_t logits_stride = 0;      ///< cols or more
  std::int64_t results_stride = 0;     ///< cols or more
  std::int64_t mask_stride = 0;        ///< cols or more
  std::uint32_t mask_rows = 1;         ///< 1 to 2^31 - 1
  std::uint32_t mask_matrices = 1;     ///< 1 to rows
  std::uint32_t mask_matrix_rows = 1;  ///< 1 to rows
  std::int64_t queries = 1;            ///< 1 or more
  std::int64_t causal_offset = 0;      ///< -queries to cols
};

/// Puts the work on the stream. Everything must have been checked. Throws CudaError.
template <typename T>
void run(const ScaleMaskSoftmax<T>& problem, cudaStream_t stream);

}  // namespace worklog::library
