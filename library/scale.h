/// \file
/// The scaling of a top-k or a cross-entropy, and the arrays of those that are scaled, checked.
#pragma once

#include "library/dispatcher.h"
#include "library/include/softmax_worklog/c.h"
#include "library/kernels/row_layout.h"
#include "library/kernels/scale_cross_entropy.h"
#include "library/kernels/scale_top_k.h"

namespace worklog::library {

/// What a call asks for, with what 0 stands for filled in.
struct Scaling {
  float scale = 1.0f;           ///< above 0 and finite
  RowLayout logits{};           ///< of the logits
  RowLayout gradients{};        ///< of the gradients, where there are any
  bool changes_nothing = true;  ///< rows have no gap between them, and the scale is 1
};

/// Throws a Refusal that names an option which is out of its range. `given` may be null.
Scaling checked_scaling(const Shape& shape, const softmax_worklog_scale_options* given);

/// Throws a Refusal that names an array which is null, not aligned to its type, or overlaps
/// another where it may not. There are rows and columns.
template <typename T>
void require_arrays(const ScaleTopK<T>& problem);

/// The same. Gradients are looked at where they are wanted.
template <typename T>
void require_arrays(const ScaleCrossEntropy<T>& problem, bool wants_gradients);

}  // namespace worklog::library
