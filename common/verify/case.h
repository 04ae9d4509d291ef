/// \file
/// One problem that a step is measured on.
#pragma once

#include <cstdint>

#include "common/step/dtype.h"
#include "common/verify/inputs.h"

namespace worklog {

/// A shape, a storage type and an input; all of them together are one line of a step's table.
struct Case {
  DType dtype = DType::kFloat32;  ///< of logits and, but for top-k, results
  std::int64_t rows = 0;          ///< 0 or more
  std::int64_t cols = 0;          ///< 0 or more
  int k = 0;                      ///< how many of the largest are wanted; 0 for softmax steps
  Input input = Input::kRandom;   ///< what the logits are
};

}  // namespace worklog
