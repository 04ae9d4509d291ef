/// \file
/// Softmax and top-k of rows that lie apart and are scaled while they are read. No step does so:
/// this is the library's own kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "library/kernels/row_layout.h"

namespace worklog::library {

/// As TopK, of the softmax of scale * x. What ranks is x, so that columns whose scaled logits are
/// rounded to the same number keep their order.
template <typename T>
struct ScaleTopK {
  const T* logits = nullptr;        ///< rows x cols
  float* values = nullptr;          ///< rows x k
  std::int64_t* indices = nullptr;  ///< rows x k
  float scale = 1.0f;               ///< above 0 and finite
  std::int64_t rows = 0;            ///< 1 to 2^31 - 1
  std::int64_t cols = 0;            ///< 1 to 2^32
  int k = 0;                        ///< 1 to cols, and at most SOFTMAX_WORKLOG_MAX_K
  RowLayout layout{};               ///< of the logits
};

/// Puts the work on the stream. Everything must have been checked. Throws CudaError.
template <typename T>
void run(const ScaleTopK<T>& problem, cudaStream_t stream);

}  // namespace worklog::library
