/// \file
/// Picks the step that serves a call.
#pragma once

#include <cstdint>

#include "common/step/dtype.h"
#include "library/candidates.h"
#include "library/device.h"
#include "library/include/softmax_worklog/c.h"

namespace worklog::library {

/// What is asked for, as far as it decides.
struct Shape {
  softmax_worklog_operation operation = SOFTMAX_WORKLOG_SOFTMAX;  ///< what is computed
  DType dtype = DType::kFloat32;                                  ///< of the elements
  std::int64_t rows = 0;                                          ///< 0 or more
  std::int64_t cols = 0;                                          ///< 0 or more
  int k = 0;                                                      ///< 0 where there is no top-k
};

/// A step and how it is launched.
struct Choice {
  const Candidate* candidate;  ///< lives as long as the program
  int block_size;              ///< threads a block: what a recorded sweep found best for the width
};

/// Throws a Refusal that names the argument: for rows and columns below 0, too many of either, or a
/// k that is out of its range.
void require_shape(const Shape& shape);

/// The best step at the nearest recorded shape (library/recorded_choices.h), on the recorded card
/// of the device's generation whose L2 cache is nearest in size. On a device or for an operation
/// without a table, the one that the steps' pages name for such rows and columns.
/// Where it does not take the shape or the device lacks what it needs, the next that does. Looks
/// nothing up by name and allocates nothing but at its first call.
///
/// The shape must have passed require_shape(). Throws a Refusal: of an unsupported architecture, if
/// no step for the operation runs on the device, or of cols, if none takes rows as long.
Choice pick(const Shape& shape, const DeviceTraits& device);

}  // namespace worklog::library
