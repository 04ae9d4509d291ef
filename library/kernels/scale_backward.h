/// \file
/// The backward pass of softmax and log-softmax for rows that lie apart, of logits that were
/// scaled, with gradients of the logits' own type. No step does so: this is the library's own
/// kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/dtype.h"

namespace worklog::library {

/// Of each row the gradient by x, where y = softmax(scale * x) and dy is the gradient by y:
/// dx = scale * y (dy - sum(y dy)); of a log-softmax dx = scale * (dy - exp(y) sum(dy)). Rounded to
/// its type once. All strides are in elements.
template <typename T>
struct ScaleBackward {
  const T* results = nullptr;         ///< y, rows x cols
  const T* gradients = nullptr;       ///< dy, rows x cols
  void* logit_gradients = nullptr;    ///< dx, rows x cols; y or dy, if type and stride are its
  DType logit_type = dtype_of<T>();   ///< of dx
  bool logarithm = false;             ///< whether y are logarithms
  float scale = 1.0f;                 ///< finite
  std::int64_t rows = 0;              ///< 1 to 2^31 - 1
  std::int64_t cols = 0;              ///< 1 or more
  std::int64_t results_stride = 0;    ///< cols or more
  std::int64_t gradients_stride = 0;  ///< cols or more
  std::int64_t logit_gradients_stride = 0;  ///< cols or more
};

/// Puts the work on the stream. Everything must have been checked. Throws CudaError.
template <typename T>
void run(const ScaleBackward<T>& problem, cudaStream_t stream);

}  // namespace worklog::library
