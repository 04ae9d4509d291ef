/// \file
/// The options of a backward pass whose rows lie apart or whose logits were scaled, checked.
#pragma once

#include <cstdint>

#include "common/step/dtype.h"
#include "library/include/softmax_worklog/c.h"
#include "library/kernels/scale_backward.h"

namespace worklog::library {

/// The arrays of a call: what the forward pass gave, the gradients by that, and those by the
/// logits.
template <typename T>
struct BackwardArrays {
  const char* results_name;  ///< what the caller calls the first array
  const T* results;          ///< rows x cols
  const T* gradients;        ///< rows x cols
  DType logit_type;          ///< of the last array
  void* logit_gradients;     ///< rows x cols
};

/// The problem that a call asks for, with what 0 stands for filled in. `options` may be null.
/// Throws a Refusal that names an argument: of sizes, strides or numbers that are out of their
/// range, arrays that are null, not aligned to their type, or that overlap where they may not.
/// With 0 rows or columns arrays are not looked at.
template <typename T>
ScaleBackward<T> checked_scale_backward(const BackwardArrays<T>& arrays, std::int64_t rows,
                                        std::int64_t cols,
                                        const softmax_worklog_scale_backward_options* options);

}  // namespace worklog::library
