/// \file
/// Cross-entropy of rows that lie apart and are scaled while they are read. No step does so: this
/// is the library's own kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/problem.h"
#include "library/kernels/row_layout.h"

namespace worklog::library {

/// As CrossEntropy, of the logits scale * x. Gradients are those by x. `gradients` is `logits`, in
/// the same layout, or shares no element with it.
template <typename T>
struct ScaleCrossEntropy {
  const T* logits = nullptr;      ///< rows x cols
  Labels labels{};                ///< rows
  float* losses = nullptr;        ///< rows
  float* loss = nullptr;          ///< 1: the sum or the mean; not looked at if there is none
  T* gradients = nullptr;         ///< rows x cols; null for the losses alone, of which
                                  ///< no label is ignored
  float* weight = nullptr;        ///< 1: room for what a mean has counted; likewise
  CrossEntropyOptions options{};  ///< what is asked for
  float scale = 1.0f;             ///< above 0 and finite
  std::int64_t rows = 0;          ///< 1 to 2^31 - 1
  std::int64_t cols = 0;          ///< 1 or more
  RowLayout logits_layout{};      ///< of the logits
  RowLayout gradients_layout{};   ///< of the gradients
};

/// Puts the work on the stream. Everything must have been checked. Throws CudaError.
template <typename T>
void run(const ScaleCrossEntropy<T>& problem, cudaStream_t stream);

}  // namespace worklog::library
