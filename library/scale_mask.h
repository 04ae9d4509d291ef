/// \file
/// The options of a softmax that scales and masks, checked.
#pragma once

#include <cstdint>

#include "common/step/dtype.h"
#include "library/include/softmax_worklog/c.h"
#include "library/kernels/scale_mask_softmax.h"

namespace worklog::library {

/// The problem that a call asks for, with what 0 stands for filled in. `options` may be null.
/// Throws a Refusal that names an argument: of sizes, strides or numbers that are out of their
/// range, arrays that are null, not aligned to their type, or that overlap where they may not.
/// With 0 rows or columns arrays are not looked at.
template <typename T>
ScaleMaskSoftmax<T> checked_scale_mask(const T* logits, DType results_type, void* results,
                                       std::int64_t rows, std::int64_t cols,
                                       const softmax_worklog_scale_mask_options* options);

}  // namespace worklog::library
